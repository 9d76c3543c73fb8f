import { compact, isMatch, noop } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { NamedKind } from '../control-api/wire-types';
import type { Kind, NamedItem, ServiceProject } from '../operations/service-project';
import { findProtected, readBranch } from './branch-facts';
import {
  type DeleteFacts,
  describeChildren,
  describeLoss,
  describeStanding,
  foreseenGuards,
  judgeDelete,
  unlessMoved,
} from './delete-guards';
import { type DeleteRequest, deleteResource } from './delete-resource';
import { asReported, type ProviderCore } from './provider-core';
import type { ResourceClaims } from './resource-claims';
import type { Subject } from './resource-errors';
import type { Declared, Properties } from './resource-identity';
import type { Prior } from './resource-state';
import { isUp } from './situation';

/** A delete that the engine asks for. */
interface DeleteQuestion {
  readonly core: ProviderCore;
  readonly kind: Kind;
  readonly id: string;
  readonly prior: Prior<object, Properties & { readonly projectId: string }>;
  readonly deadline: Deadline;
  /** Recognises it under a name that another client gave it. @default nothing */
  readonly isSame?: (item: NamedItem) => boolean;
  readonly send: (project: ServiceProject, id: string) => ReturnType<DeleteRequest['send']>;
}

/** Thrown right before the request of a delete, to do something else instead of sending it. */
class Instead extends Error {
  readonly act: (again: () => Promise<void>) => Promise<void>;

  constructor(act: Instead['act']) {
    super();
    this.act = act;
  }
}

/**
 * Deletes the resource, unless another one of this run keeps it or a guard refuses. The guards judge it before each request.
 * @throws Error that says why nothing is deleted
 */
export async function deleteGuarded(question: DeleteQuestion): Promise<void> {
  const { core, kind, id, prior, deadline } = question;
  const claims = core.claims[kind];
  const urn = urnOf(question);
  const { keeper, creation } = claims.takerOf(id, urn) ?? {};
  if (keeper !== undefined && !creation) return core.reportKept(`${kind} ${id}`, urn, keeper);
  const { project, progress } = core.startWork(asReported(prior), deadline);
  const subject = { action: 'delete', kind, id } as const;
  const list = project.list(kind, String(prior.outputs.branchId));
  const check = () => guardDelete(question, project);
  const send = (idNow: string) => question.send(project, idNow);
  const attempt = (): Promise<void> =>
    deleteResource({ project, subject, list, check, send, deadline, progress }).catch((error: unknown) => {
      if (!(error instanceof Instead)) throw error;
      return error.act(attempt);
    });
  await claims.noteLeaving(id, urn, attempt());
  if (claims.keeperOf(id, urn) !== undefined) claims.noteItem(id, { leaving: undefined }); // It stays.
}

/** The URN of the resource in this run. If `aliases` rename what the engine replaces, the delete still has the old one. */
function urnOf({ core, kind, id, prior }: DeleteQuestion): string | undefined {
  return core.claims[kind].ownerOf(id) ?? prior.resource.urn;
}

/** Judges a delete by what this run and the service know now. Shows what goes with it. Returns it under its present id. */
async function guardDelete(question: DeleteQuestion, project: ServiceProject): Promise<Subject> {
  const { core, kind, id, prior, deadline } = question;
  const urn = urnOf(question);
  const takerOf = (each: DeleteFacts) => core.claims[kind].takerOf(each.subject.id, urn, each.adopter);
  const facts = await rereadUntil(
    project.lag(deadline),
    () => gatherFacts(question, project),
    (each) => judgeDelete(each) === undefined || takerOf(each) !== undefined,
  );
  const { keeper, creation } = takerOf(facts) ?? {};
  if (creation) throw new Instead(() => creation.catch(noop).then(() => deleteGuarded(question)));
  if (keeper !== undefined)
    throw new Instead(() => core.reportKept(`${kind} ${facts.subject.id}`, urn, keeper));
  const reason = judgeDelete(facts);
  if (reason !== undefined) throw new Error(reason);
  await core.warn(asReported(prior), compact([describeLoss(facts), describeStanding(id, facts.standing)]));
  return facts.subject;
}

/** The question, with what the run knows of the resource. */
function withRecords(question: DeleteQuestion, project: ServiceProject) {
  const urn = urnOf(question);
  const claims = question.core.claims[question.kind];
  const hasOther = claims.hasOther(question.id, urn);
  return { ...question, project, claims, urn, hasOther, replacement: claims.findReplacement(urn) };
}

type Asked = ReturnType<typeof withRecords>;

async function gatherFacts(question: DeleteQuestion, project: ServiceProject): Promise<DeleteFacts> {
  const asked = withRecords(question, project);
  const { core, kind, id, claims, urn, replacement, deadline } = asked;
  const { base } = claims.resource(urn);
  const common = {
    subject: { action: 'delete', kind, id },
    // Of what is on a branch, only databases count: a role has no data to lose, and an endpoint has a guard of its own.
    isIncomplete: claims.isIncomplete(urn) || (kind === 'branch' && core.claims.database.hasIncompleteOn(id)),
    obstacle: replacement && (await claims.findObstacle(replacement, id)),
    baseObstacle: base && (await findBaseObstacle(core, project, base, deadline)),
  } as const;
  if (kind === 'branch') return { ...common, ...(await gatherBranch(asked)) };
  if (kind === 'endpoint') return { ...common, ...(await gatherEndpoint(asked)) };
  return { ...common, ...(await gatherNamed(kind, asked)) };
}

async function gatherBranch(asked: Asked) {
  const { core, claims, urn, id, hasOther, prior, project, deadline } = asked;
  const live = await readBranch(core, project, id, deadline);
  const leaving = compact(live.children.map((child) => claims.item(child).leaving));
  // Those deletes have to end before its own request.
  if (leaving.length > 0)
    throw new Instead(async (again) => {
      await Promise.allSettled(leaving);
      return again();
    });
  const hasData = live.name !== undefined;
  const losesData = hasData && !claims.isReplaced(id);
  // A forced replacement has no diff: its preview finds the old branch only if that has the declared name and project.
  const { declared } = claims.resource(urn);
  const isNamed = !declared || isMatch(declared.inputs, { projectId: project.id, name: live.name });
  return {
    ...live,
    adopter: claims.findAdopter({ projectId: project.id, names: [prior.outputs.name, live.name] }, urn),
    unallowed: (hasData && hasOther) || (losesData && !isNamed) ? unlessLossAllowed(claims, urn) : undefined,
    losesData,
  };
}

async function gatherNamed(kind: NamedKind, asked: Asked): Promise<Partial<DeleteFacts>> {
  const { claims, urn, id, hasOther, replacement, prior, project, isSame, deadline } = asked;
  const { name, branchId } = prior.outputs;
  const found = await project.named(kind, String(branchId)).find(id, { deadline, isSame });
  const hasData = kind === 'database' && found !== undefined;
  return {
    subject: { action: 'delete', kind, id: found?.id ?? id },
    adopter: claims.findAdopter({ projectId: project.id, branchId, names: [name, found?.name] }, urn),
    unallowed: hasData && (hasOther || replacement) ? unlessLossAllowed(claims, urn) : undefined,
    losesData: hasData && !claims.isReplaced(id),
  };
}

/** The endpoint is read only if this run may adopt or replace it. */
async function gatherEndpoint(asked: Asked): Promise<Partial<DeleteFacts>> {
  const { core, claims, urn, id, hasOther, replacement, prior, project, deadline } = asked;
  const { name, type, branchId } = prior.outputs;
  const isRead = claims.hasAdopters || hasOther || replacement !== undefined;
  const endpoint = isRead ? await project.endpoints.find(id, { deadline }) : undefined;
  const branch = await findBranchOf(asked, endpoint?.branch_id ?? String(branchId));
  const names = [name, endpoint?.name];
  const branchIds = type === 'read_write' ? compact([branchId, endpoint?.branch_id]) : [];
  const allowRestart = claims.resource(urn).declared?.inputs.allowRestart;
  const isForbidden = hasOther && endpoint && isUp(endpoint) && !core.allowsRestart({ allowRestart });
  return {
    protectedBranch: findProtected(branch),
    adopter: claims.findAdopter({ projectId: project.id, names, branchIds }, urn),
    unallowed: isForbidden ? 'allowRestart' : undefined,
  };
}

function unlessLossAllowed(claims: ResourceClaims, urn: string | undefined): DeleteFacts['unallowed'] {
  return claims.resource(urn).declared?.inputs.allowDataLoss === true ? undefined : 'allowDataLoss';
}

/**
 * The branch of an endpoint. One list serves many deletes, and is checked by a read of its own if it shows the branch as protected. If this
 * run protects the branch, reads until they show that.
 */
async function findBranchOf({ core, project, deadline }: Asked, id: string) {
  const read = () => project.branches.find(id, { deadline });
  const isToBeProtected = core.claims.branch.recordOf(id).declared?.inputs.protected === true;
  if (isToBeProtected && !core.claims.branch.item(id).wasProtected)
    return rereadUntil(project.lag(deadline), read, (now) => now?.protected !== false);
  const shown = await project.branches.find(id, { maxAgeMs: project.sharedRead.maxAgeMs, deadline });
  return shown?.protected ? read() : shown;
}

/** Why the branch with which a resource is replaced can't be deleted. The engine deletes the resource first, so its delete asks. */
async function findBaseObstacle(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  deadline: Deadline,
): Promise<string | undefined> {
  const { branch } = core.claims;
  if (branch.isLeft(id)) return undefined;
  const { base } = branch.recordOf(id);
  const replacement = branch.findReplacementOf(id);
  const obstacle = replacement && (await branch.findObstacle(replacement, id));
  const live = await readBranch(core, project, id, deadline);
  return judgeDelete({
    ...live,
    standing: live.standing.filter(({ endpoint }) => !core.claims.endpoint.isGoing(endpoint.id)),
    children: live.children.filter((child) => !branch.isGoing(child)),
    obstacle,
    baseObstacle: base && (await findBaseObstacle(core, project, base, deadline)),
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
  return compact([
    describeStanding(branchId, standing, unlessMoved(declaration.resource)),
    describeChildren(live.children),
  ]);
}

/** The same, once, for the branch with which a resource is replaced: a forced replacement of the branch has no diff of its own. */
export async function foreseeBase(
  core: ProviderCore,
  declaration: Declared<object>,
  projectId: string,
  base: string | undefined,
): Promise<void> {
  if (base === undefined || core.claims.branch.isLeft(base) || core.claims.branch.item(base).foreseen) return;
  await foreseeDelete(core, declaration, core.projects.project(projectId), base);
}
