import { compact } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { ServiceProject } from '../operations/service-project';
import {
  type DeleteFacts,
  describeKept,
  describeStanding,
  judgeDelete,
  judgeStanding,
  type StandingEndpoint,
} from './delete-guards';
import type { DeleteRequest } from './delete-resource';
import { type InputFailure, isUnknown } from './input-values';
import { isUp } from './plan';
import { asReported, type ProviderCore } from './provider-core';
import type { ResourceClaims } from './resource-claims';
import type { Declared, Properties } from './resource-identity';
import type { Prior } from './resource-state';

/** A delete that the engine asks for. */
interface DeleteQuestion {
  readonly core: ProviderCore;
  readonly kind: 'endpoint' | 'branch';
  readonly id: string;
  readonly prior: Prior<object, Properties & { readonly projectId: string }>;
  readonly deadline: Deadline;
  /** Why what is to be created in its place can't be created; undefined when it can. */
  readonly findObstacle: (replacement: Declared<Properties>) => Promise<string | undefined>;
}

/**
 * Deletes it, unless a resource of this run keeps it, and if no guard refuses. Every request waits for its judgement.
 * @throws Error that says why nothing is deleted
 */
export async function deleteGuarded(
  question: DeleteQuestion,
  remove: (work: Pick<DeleteRequest, 'project' | 'id' | 'deadline' | 'progress' | 'check'>) => Promise<void>,
): Promise<void> {
  const { core, kind, id, prior, deadline } = question;
  const { urn } = prior.resource;
  const claims = core.claims[kind];
  const keeper = claims.keeperOf(id, urn);
  if (keeper !== undefined) return core.reportKept(`${kind} ${id}`, urn, keeper);
  const { project, progress } = core.startWork(asReported(prior), deadline);
  const check = () => guardDelete(question, project);
  await claims.noteLeaving(id, remove({ project, id, deadline, progress, check }));
}

/** Judges a delete by what this run and the service know now. Shows what else is deleted with it. */
async function guardDelete(question: DeleteQuestion, project: ServiceProject): Promise<void> {
  const { id, core, prior, deadline } = question;
  const { latestAt } = project.writes;
  // Only what this process has just written may be missing from reads, such as the move of an endpoint.
  const lagMs = Math.min(latestAt + project.readLagMs - performance.now(), deadline.remainingMs);
  const facts = await rereadUntil(
    deadline.next(Math.max(0, lagMs)),
    () => gatherFacts(question, project),
    (each) => judgeStanding(each) === undefined,
  );
  const reason = judgeDelete(facts);
  if (reason !== undefined) throw new Error(reason);
  const goesToo = describeStanding(id, facts.standing);
  if (goesToo !== undefined) await core.show('warning', asReported(prior), [goesToo]);
}

async function gatherFacts(question: DeleteQuestion, project: ServiceProject): Promise<DeleteFacts> {
  const { core, kind, id, prior } = question;
  const { urn } = prior.resource;
  const claims = core.claims[kind];
  const replacement = claims.findReplacement(urn);
  const obstacle = replacement && (await question.findObstacle(replacement));
  const live = await readLive(question, project, replacement);
  const isDestroy = !core.claims.branch.hasDeclared && !core.claims.endpoint.hasDeclared;
  // A resource option replaces the endpoint: the engine has checked it twice, and has asked for no diff.
  const isUnasked = replacement && claims.isReplacedUnasked(urn) && !core.allowsRestart(replacement.inputs);
  return {
    subject: kind === 'branch' ? { action: 'delete', branchId: id } : { action: 'delete', endpointId: id },
    lacksCreate: claims.lacksCreate(urn),
    adopter: claims.findAdopter(live.known, urn),
    unasked: isUnasked && live.endpoint && isUp(live.endpoint) ? live.endpoint : undefined,
    obstacle,
    isProtectedByOthers: live.isProtected && prior.outputs.protected !== true,
    standing: live.standing,
    foreseen: core.claims.branch.item(id).foreseen,
    allowsRestart: core.config.allowRestart || isDestroy,
  };
}

/** Of an endpoint the service is asked only if this run may adopt or replace it; of a branch always. */
async function readLive(
  { core, kind, id, prior: { outputs }, deadline }: DeleteQuestion,
  project: ServiceProject,
  replacement: Declared<Properties> | undefined,
) {
  const known = { projectId: project.id, names: [outputs.name] };
  if (kind === 'endpoint') {
    const endpoint =
      core.claims.endpoint.hasAdopters || replacement
        ? await project.endpoints.find(id, { deadline })
        : undefined;
    const branchIds = outputs.type === 'read_write' ? compact([outputs.branchId, endpoint?.branch_id]) : [];
    const names = [outputs.name, endpoint?.name];
    return { known: { ...known, names, branchIds }, isProtected: false, standing: [], endpoint };
  }
  const reads = [project.branches.find(id, { deadline }), listStanding(core, project, id, deadline)] as const;
  // If one fails, the other must not go on after the run.
  await Promise.allSettled(reads);
  const [branch, standing] = await Promise.all(reads);
  const isProtected = branch?.protected === true;
  return {
    known: { ...known, names: [outputs.name, branch?.name] },
    isProtected,
    standing,
    endpoint: undefined,
  };
}

/** The endpoints on a branch, without those that this run deletes and nobody keeps. */
export async function listStanding(
  { claims }: ProviderCore,
  { id: projectId, endpoints }: ServiceProject,
  branchId: string,
  deadline: Deadline,
): Promise<StandingEndpoint[]> {
  const all = await deadline.bound(endpoints.fresh(), 'list of the endpoints');
  const standing = all.filter((endpoint) => endpoint.branch_id === branchId);
  return standing.flatMap((endpoint) => {
    const { id, type, name } = endpoint;
    const branchIds = type === 'read_write' ? [branchId] : [];
    const adopter = claims.endpoint.findAdopter({ projectId, names: [name], branchIds }, undefined);
    const keeper = claims.endpoint.userOf(id) ?? adopter;
    // A delete that has begun may still be refused, for one of the same reasons.
    return keeper === undefined && claims.endpoint.item(id).isLeaving ? [] : [{ endpoint, keeper }];
  });
}

/**
 * Lists the endpoints that a replacement of the branch deletes, for a preview, and remembers them. The engine asks later about those
 * that depend on the branch. Returns a sentence that names the endpoints.
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
  core.claims.branch.noteItem(branchId, { foreseen: all.map(({ endpoint }) => endpoint.id) });
  const standing = all.filter(({ endpoint }) => core.claims.endpoint.item(endpoint.id).mover === undefined);
  const reason = describeKept({ subject: { action: 'delete', branchId }, standing });
  if (reason !== undefined) throw new Error(reason);
  return describeStanding(branchId, standing);
}

/** Why the create is bound to fail. Asked only if the engine may first delete an old resource, or leave it at the service. */
export async function findReplacementFailures(
  claims: ResourceClaims,
  urn: string | undefined,
  find: (replaced: string | undefined) => Promise<string | undefined>,
): Promise<InputFailure[]> {
  const { idInState } = claims.resource(urn);
  if (idInState === undefined && !claims.isRetained(urn)) return [];
  // The delete asks once more, and fails if the service can't be reached.
  const obstacle = await find(idInState).catch(() => undefined);
  return obstacle ? [{ property: '', reason: `its create is bound to fail: ${obstacle}` }] : [];
}

/** Why what stands on a branch, or is a copy of it, can't follow: the run replaces it in another project, under an id that is not known yet. */
export function findOtherProject(
  { claims }: ProviderCore,
  branchId: unknown,
  projectId: unknown,
): string | undefined {
  const { replacement, declared } = claims.branch.resource(claims.branch.ownerOf(String(branchId)));
  const other = declared?.inputs.projectId;
  if (replacement !== 'judged' || isUnknown([other, projectId]) || other === projectId) return undefined;
  return `its branch is replaced in project ${other}, and this resource is to be in project ${projectId}: set the same projectId on both`;
}
