import { compact } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Endpoint } from '../control-api/wire-types';
import type { ServiceProject } from '../operations/service-project';
import {
  type DeleteFacts,
  describeStanding,
  judgeDelete,
  judgeStanding,
  type StandingEndpoint,
} from './delete-guards';
import { isUp } from './plan';
import type { ProviderCore } from './provider-core';
import type { Properties, Resource } from './resource-identity';

/** A delete that the engine asks for. */
export interface DeleteQuestion {
  readonly core: ProviderCore;
  readonly kind: 'endpoint' | 'branch';
  readonly id: string;
  readonly resource: Resource;
  /** What the state has. */
  readonly outputs: Properties;
  readonly project: ServiceProject;
  readonly deadline: Deadline;
  /** Why what is to be created in its place can't be created; undefined when it can. */
  readonly findObstacle: (replacement: Properties) => Promise<string | undefined>;
}

/**
 * Judges a delete by what this run and the service know now. Shows what else is deleted with it.
 * @throws Error that says why nothing is deleted
 */
export async function guardDelete(question: DeleteQuestion): Promise<void> {
  const { core, id, resource, outputs, project, deadline } = question;
  const { latestAt } = project.writes;
  // Only what this process has just written may be missing from reads, such as the move of an endpoint.
  const lagMs = Math.min(latestAt + project.readLagMs - performance.now(), deadline.remainingMs);
  const facts = await rereadUntil(
    deadline.next(Math.max(0, lagMs)),
    () => gatherFacts(question),
    (each) => judgeStanding(each) === undefined,
  );
  const reason = judgeDelete(facts);
  if (reason !== undefined) throw new Error(reason);
  const goesToo = describeStanding(id, facts.standing);
  if (goesToo !== undefined) await core.showOnce('warning', { resource, inputs: outputs }, goesToo);
}

async function gatherFacts(question: DeleteQuestion): Promise<DeleteFacts> {
  const { core, kind, id, resource } = question;
  const { urn } = resource;
  const claims = core.claims[kind];
  const replacement = claims.findReplacement(urn);
  const obstacle = replacement && (await question.findObstacle(replacement));
  const live = await readLive(question);
  return {
    subject: kind === 'branch' ? { action: 'delete', branchId: id } : { action: 'delete', endpointId: id },
    lacksCreate: claims.lacksCreate(urn),
    adopter: claims.findAdopter(live.known, urn),
    unasked: findUnasked(question, live.endpoint),
    obstacle,
    isProtectedByOthers: live.isProtected && question.outputs.protected !== true,
    standing: live.standing,
    foreseen: core.claims.branch.foreseenOn(id),
    isDestroy: !core.claims.branch.hasDeclared && !core.claims.endpoint.hasDeclared,
    allowsRestart: core.config.allowRestart,
  };
}

/** A resource option replaces the endpoint: the engine has checked it twice, and has asked for no diff. */
function findUnasked(
  { core, resource }: DeleteQuestion,
  endpoint: Endpoint | undefined,
): Endpoint | undefined {
  const claims = core.claims.endpoint;
  const { urn = '' } = resource;
  const replacement = claims.findReplacement(urn);
  const isUnasked = claims.nameInState(urn) !== undefined && claims.replacementOf(urn) === undefined;
  const allowsRestart = replacement?.allowRestart ?? core.config.allowRestart;
  return endpoint && isUp(endpoint) && replacement && isUnasked && allowsRestart !== true
    ? endpoint
    : undefined;
}

/** Of an endpoint the service is asked only if this run may adopt or replace it; of a branch always. */
async function readLive({ core, kind, id, resource, outputs, project, deadline }: DeleteQuestion) {
  const known = { projectId: project.id, names: [outputs.name] };
  if (kind === 'endpoint') {
    const endpoint =
      core.claims.endpoint.hasAdopters || core.claims.endpoint.findReplacement(resource.urn)
        ? await project.endpoints.find(id, { deadline })
        : undefined;
    const branchIds = outputs.type === 'read_write' ? compact([outputs.branchId, endpoint?.branch_id]) : [];
    const names = [outputs.name, endpoint?.name];
    return { known: { ...known, names, branchIds }, isProtected: false, standing: [], endpoint };
  }
  const [branch, standing] = await Promise.all([
    project.branches.find(id, { deadline }),
    listStanding(core, project, id, deadline),
  ]);
  const isProtected = branch?.protected === true;
  return {
    known: { ...known, names: [outputs.name, branch?.name] },
    isProtected,
    standing,
    endpoint: undefined,
  };
}

/** The endpoints on a branch, without those that this run deletes. */
export async function listStanding(
  { claims }: ProviderCore,
  { id: projectId, endpoints }: ServiceProject,
  branchId: string,
  deadline: Deadline,
): Promise<StandingEndpoint[]> {
  const all = await deadline.bound(endpoints.fresh(), 'list of the endpoints');
  const standing = all.filter(
    ({ id, branch_id }) => branch_id === branchId && !claims.endpoint.isLeaving(id),
  );
  return standing.map((endpoint) => {
    const branchIds = endpoint.type === 'read_write' ? [branchId] : [];
    const adopter = claims.endpoint.findAdopter({ projectId, names: [endpoint.name], branchIds }, undefined);
    return { endpoint, keeper: claims.endpoint.declaredHolderOf(endpoint.id) ?? adopter };
  });
}

/**
 * What a preview knows of the endpoints that are deleted with a branch: those that depend on it are replaced with it, of which the
 * engine asks later. Returns what goes with it.
 * @throws Error when the program keeps one of them
 */
export async function foreseeStanding(
  core: ProviderCore,
  project: ServiceProject,
  branchId: string,
  deadline: Deadline,
): Promise<string | undefined> {
  // The delete asks once more, and fails if the service can't be reached.
  const all = await listStanding(core, project, branchId, deadline).catch(() => undefined);
  if (!all) return undefined;
  core.claims.branch.noteForeseen(
    branchId,
    all.map(({ endpoint }) => endpoint.id),
  );
  const standing = all.filter(({ endpoint }) => core.claims.endpoint.moverOf(endpoint.id) === undefined);
  const reason = judgeStanding({ ...nothingKnown, subject: { action: 'delete', branchId }, standing });
  if (reason !== undefined) throw new Error(reason);
  return describeStanding(branchId, standing);
}

const nothingKnown = {
  lacksCreate: false,
  adopter: undefined,
  unasked: undefined,
  obstacle: undefined,
  isProtectedByOthers: false,
  foreseen: undefined,
  isDestroy: false,
  allowsRestart: true,
};
