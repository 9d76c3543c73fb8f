import { compact, difference, map, some } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Branch } from '../control-api/wire-types';
import type { ServiceProject } from '../operations/service-project';
import {
  type DeleteFacts,
  describeChildren,
  describeStanding,
  foreseenGuards,
  judgeDelete,
  type StandingEndpoint,
} from './delete-guards';
import { type DeleteRequest, deleteResource } from './delete-resource';
import { isUp } from './plan';
import { asReported, type ProviderCore } from './provider-core';
import type { Declared, Properties } from './resource-identity';
import type { Prior } from './resource-state';

/** A delete that the engine asks for. */
interface DeleteQuestion {
  readonly core: ProviderCore;
  readonly kind: 'endpoint' | 'branch';
  readonly id: string;
  readonly prior: Prior<object, Properties & { readonly projectId: string }>;
  readonly deadline: Deadline;
  readonly send: (project: ServiceProject) => ReturnType<DeleteRequest['send']>;
  /** Why what is to be created in its place can't be created; undefined when it can. */
  readonly findObstacle: (replacement: Declared<Properties>) => Promise<string | undefined>;
}

/**
 * Deletes it, unless a resource of this run keeps it, and if no guard refuses. Every request waits for its judgement.
 * @throws Error that says why nothing is deleted
 */
export async function deleteGuarded(question: DeleteQuestion): Promise<void> {
  const { core, kind, id, prior, deadline } = question;
  const { urn } = prior.resource;
  const claims = core.claims[kind];
  const keeper = claims.keeperOf(id, urn);
  if (keeper !== undefined) return core.reportKept(`${kind} ${id}`, urn, keeper);
  const { project, progress } = core.startWork(asReported(prior), deadline);
  const list = kind === 'branch' ? project.branches : project.endpoints;
  const send = () => question.send(project);
  const check = () => guardDelete(question, project);
  await claims.noteLeaving(id, deleteResource({ project, kind, id, list, send, check, deadline, progress }));
}

/** Judges a delete by what this run and the service know now. Shows what else is deleted with it. */
async function guardDelete(question: DeleteQuestion, project: ServiceProject): Promise<void> {
  const { id, core, prior, deadline } = question;
  const facts = await rereadUntil(
    project.lag(deadline),
    () => gatherFacts(question, project),
    (each) => judgeDelete(each) === undefined,
  );
  const reason = judgeDelete(facts);
  if (reason !== undefined) throw new Error(reason);
  const goesToo = describeStanding(id, facts.standing ?? []);
  if (goesToo !== undefined) await core.warn(asReported(prior), [goesToo]);
}

async function gatherFacts(question: DeleteQuestion, project: ServiceProject): Promise<DeleteFacts> {
  const { core, kind, id, prior, deadline } = question;
  const { urn } = prior.resource;
  const { name, type, branchId, protected: wasProtected } = prior.outputs;
  const claims = core.claims[kind];
  const replacement = claims.findReplacement(urn);
  const hasOther = claims.hasOther(id, urn);
  const { allowDataLoss, allowRestart } = claims.resource(urn).declared?.inputs ?? {};
  const base = findBase(question);
  const common = {
    lacksCreate: claims.lacksCreate(urn),
    obstacle: replacement && (await question.findObstacle(replacement)),
    baseObstacle: base && (await findBaseObstacle(core, project, base, deadline)),
  };
  const known = { projectId: project.id, names: [name] };
  if (kind === 'branch') {
    const live = await readBranch(core, project, id, deadline, wasProtected === true);
    const adopter = claims.findAdopter({ ...known, names: [name, live.name] }, urn);
    const unallowed = hasOther && allowDataLoss !== true ? 'allowDataLoss' : undefined;
    return { ...common, ...live, adopter, unallowed };
  }
  // The endpoint is read only if this run may adopt or replace it.
  const isAsked = claims.hasAdopters || replacement || hasOther;
  const endpoint = isAsked ? await project.endpoints.find(id, { deadline }) : undefined;
  const branchIds = type === 'read_write' ? compact([branchId, endpoint?.branch_id]) : [];
  const branch = await findBranchOf(question, project, endpoint?.branch_id ?? String(branchId));
  const adopter = claims.findAdopter({ ...known, names: [name, endpoint?.name], branchIds }, urn);
  const isForbidden = hasOther && endpoint && isUp(endpoint) && !core.allowsRestart({ allowRestart });
  const unallowed = isForbidden ? 'allowRestart' : undefined;
  const subject = { action: 'delete', kind, id } as const;
  return { ...common, ...toProtection(core, branch), subject, adopter, unallowed };
}

/**
 * The branch of an endpoint. One list serves many deletes; where it shows the branch as protected, it may be out of date. Where this run
 * protects the branch, reads may lag behind that.
 */
async function findBranchOf({ core, deadline }: DeleteQuestion, project: ServiceProject, id: string) {
  const {
    branches,
    sharedRead: { maxAgeMs },
  } = project;
  const { branch } = core.claims;
  const read = () => branches.find(id, { deadline });
  const isToBeProtected = branch.recordOf(id).declared?.inputs.protected === true;
  if (isToBeProtected && !branch.item(id).wasProtected)
    return rereadUntil(project.lag(deadline), read, (now) => now?.protected !== false);
  const shown = await branches.find(id, { maxAgeMs, deadline });
  return shown?.protected ? read() : shown;
}

/** @param wasProtected whether the state has it as protected. @default what diff has found, if it was asked */
export function toProtection(
  { claims }: ProviderCore,
  branch: Branch | undefined,
  wasProtected = claims.branch.item(branch?.id ?? '').wasProtected,
) {
  if (!branch?.protected) return {};
  const { declared } = claims.branch.recordOf(branch.id);
  const isOurs = declared?.inputs.protected === true;
  return { protectedBranch: branch.id, isProtectedByOthers: wasProtected === false && !isOurs };
}

/** What the service shows of a branch that is to be deleted, and of what is on it or was created from it. */
async function readBranch(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  deadline: Deadline | undefined,
  wasProtected?: boolean,
) {
  const { claims, config } = core;
  const standingRead = listStanding(core, project, id);
  const reads = [
    project.branches.find(id, { deadline }),
    deadline ? deadline.bound(standingRead, 'list of the endpoints') : standingRead,
  ] as const;
  // If one fails, the other must not go on after the run.
  await Promise.allSettled(reads);
  const [branch, standing] = await Promise.all(reads);
  const children = project.branches.latest.filter(
    (child) => child.parent_id === id && !claims.branch.isGoing(child.id),
  );
  const isDestroy = !some(claims, 'hasDeclared');
  return {
    subject: { action: 'delete', kind: 'branch', id } as const,
    name: branch?.name,
    parentId: branch?.parent_id,
    ...toProtection(core, branch, wasProtected),
    permanent: branch && findPermanence(branch),
    standing,
    children: map(children, 'id'),
    named: [...claims.role.urnsOn(id), ...claims.database.urnsOn(id)],
    foreseen: claims.branch.item(id).foreseen,
    allowsRestart: config.allowRestart || isDestroy,
  };
}

/** A schema-only branch has no parent either. */
function findPermanence({ default: isDefault, parent_id, init_source }: Branch): DeleteFacts['permanent'] {
  if (isDefault) return 'the default branch of its project';
  return parent_id === undefined && init_source !== 'schema-only' ? 'a root branch' : undefined;
}

/** The branch whose replacement replaces the resource: that of an endpoint, or the parent of a branch. */
function findBase({ core: { claims }, kind, id, prior }: DeleteQuestion): string | undefined {
  const { urn } = prior.resource;
  if (claims[kind].resource(urn).replacement !== 'early') return undefined;
  if (kind === 'endpoint')
    return claims.endpoint.item(id).mover === urn ? String(prior.outputs.branchId) : undefined;
  const parentId = String(prior.outputs.parentId);
  return claims.branch.isReplaced(parentId) ? parentId : undefined;
}

/** Why that branch can't be deleted. The engine deletes the resource first: asking about the branch later is too late. */
async function findBaseObstacle(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  deadline: Deadline,
): Promise<string | undefined> {
  const live = await readBranch(core, project, id, deadline);
  const standing = live.standing.filter(({ endpoint }) => !core.claims.endpoint.isGoing(endpoint.id));
  const reason = judgeDelete({ ...live, standing });
  const { branch } = core.claims;
  const isReplacedToo = branch.recordOf(id).replacement === 'early';
  if (reason !== undefined || !isReplacedToo || live.parentId === undefined) return reason;
  return findBaseObstacle(core, project, live.parentId, deadline);
}

/** The endpoints on a branch, without those that this run deletes and no resource keeps. */
async function listStanding(
  { claims }: ProviderCore,
  { id: projectId, endpoints }: ServiceProject,
  branchId: string,
): Promise<StandingEndpoint[]> {
  const listed = await endpoints.fresh();
  // A list may not show a new endpoint of an earlier run yet.
  const missing = difference(claims.endpoint.idsOn(branchId), map(listed, 'id'));
  const found = await Promise.all(missing.map((id) => endpoints.find(id)));
  const standing = compact([...listed, ...found]).filter((endpoint) => endpoint.branch_id === branchId);
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
 * Looks up what a replacement of the branch deletes, for a preview, and remembers the endpoints. The engine asks later about what
 * depends on the branch. Returns sentences that name the endpoints, and the branches that must go first.
 * @throws Error when the program keeps an endpoint, or the branch is protected
 */
export async function foreseeDelete(
  core: ProviderCore,
  declaration: Declared<object>,
  project: ServiceProject,
  branchId: string,
): Promise<string[]> {
  const { branch, endpoint } = core.claims;
  // The delete asks once more, and fails if the service can't be reached.
  const live = await core.glimpse(declaration, project, 'the branches', () =>
    readBranch(core, project, branchId, undefined),
  );
  if (!live) return [];
  branch.noteItem(branchId, { foreseen: live.standing.map((each) => each.endpoint.id) });
  const standing = live.standing.filter((each) => endpoint.item(each.endpoint.id).mover === undefined);
  const reason = judgeDelete({ ...live, standing }, foreseenGuards);
  if (reason !== undefined) throw new Error(reason);
  return compact([describeStanding(branchId, standing), describeChildren(live.children)]);
}
