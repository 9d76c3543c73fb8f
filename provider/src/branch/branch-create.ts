import { sortBy } from 'lodash';
import { rereadUntil } from '../control-api/read-lag';
import type { Branch, BranchChange } from '../control-api/wire-types';
import { describeBlockers } from '../engine/progress';
import type { Work } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { TakenError } from '../lifecycle/resource-errors';
import { deriveNames } from '../lifecycle/resource-name';
import { findOtherOrigin, replacingArguments, toCreateAttributes } from './branch-changes';
import { deleteBranch } from './branch-delete';
import type { BranchDeclaration, BranchInputs, BranchOutputs } from './branch-inputs';
import { BranchRun } from './branch-run';

export interface CreateRequest extends Work<BranchInputs> {
  readonly declaration: BranchDeclaration;
  readonly claims: ResourceClaims;
}

/** A branch that the create takes over: its own, created by an earlier try, or one to adopt. */
export interface ExistingBranch {
  readonly kind: 'own' | 'adopted';
  readonly branch: Branch;
}

type Creation = { readonly kind: 'new'; readonly change: BranchChange } | ExistingBranch;

/** A list of branches older than this does not prove that the branch does not exist. Milliseconds. */
const freshListMs = 5_000;
/** Enough for a stale list that shows a deleted branch, and for another process that creates the branch first. */
const mostAttempts = 3;

/**
 * The branch that a create takes over instead of creating one.
 * @throws TakenError when a branch is in the way that must not be taken over
 */
export function findExisting(
  declaration: BranchDeclaration,
  branches: readonly Branch[],
): ExistingBranch | undefined {
  const { inputs } = declaration;
  const [own] = findNamed(branches, toUnfinishedNames(declaration));
  if (own) return { kind: 'own', branch: own };
  const { name, adopt } = inputs;
  const [named] = name === undefined ? [] : findNamed(branches, [name]);
  if (!named) return undefined;
  const others = adopt ? findOtherOrigin(named, inputs) : [];
  if (adopt && others.length === 0) return { kind: 'adopted', branch: named };
  const now = adopt
    ? `It has another ${others.join(' and ')}, which adopt can't change: declare what the branch has, or choose another name.`
    : 'To take it over, set adopt: true with this name (also if a killed `pulumi up` created it). To create a new branch, choose another name.';
  throw new TakenError(
    `create of branch "${name}": the project already has a branch of that name, ${named.id} (since ${named.created_at}). ${now}`,
    [named.id],
  );
}

/**
 * The names of the branch until its create has finished: the derived ones with a mark. Without the mark, another stack of the
 * same name, in another backend, would take a finished branch for its own, and could delete its data.
 */
function toUnfinishedNames({ resource, inputs }: BranchDeclaration): string[] {
  return deriveNames(resource, inputs, replacingArguments).map((name) => `${name}-creating`);
}

/** The oldest first: if two processes have created one, the oldest stays. */
function findNamed(branches: readonly Branch[], names: readonly string[]): Branch[] {
  const named = branches.filter(({ name }) => names.includes(name));
  return sortBy(named, ({ created_at }) => Date.parse(created_at), 'id');
}

/**
 * Creates the branch, or takes over the existing one, and updates it to what is declared. It is created under the derived
 * name with a mark, which no other client uses, so the branch is looked up by that name before the first request and after
 * every request whose outcome is unknown. Its final name is given to it as the last step.
 * @throws UnsettledError when the branch exists, but not as declared: it is kept in state
 */
export async function createBranch(
  request: CreateRequest,
): Promise<{ readonly id: string; readonly outputs: BranchOutputs }> {
  const { branches, readLagMs } = request.project;
  const hideIfGone = (id: string) => branches.hideIfGone(id, readLagMs, request.deadline);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const creation = await createOnce(request);
      const { id } = creation.kind === 'new' ? creation.change.branch : creation.branch;
      const isGone = creation.kind !== 'new' && (await hideIfGone(id));
      const outputs = isGone ? undefined : await finishCreation(request, id, creation);
      if (outputs) return { id, outputs };
      if (attempt === mostAttempts)
        throw new Error(`create of branch ${id}: it no longer exists. Run \`pulumi up\` again.`);
    } catch (error) {
      const isGone = error instanceof TakenError && (await error.isStale(hideIfGone));
      if (!isGone || attempt === mostAttempts) throw error;
    }
  }
}

async function createOnce(request: CreateRequest): Promise<Creation> {
  const { project, inputs, declaration, deadline, progress } = request;
  const list = (maxAgeMs: number) =>
    deadline.bound(project.branches.recent(maxAgeMs), 'list of the branches');
  const found = findExisting(declaration, await list(freshListMs));
  if (found) return found;
  const listedAt = Date.now();
  const [name = inputs.name] = toUnfinishedNames(declaration);
  const attributes = toCreateAttributes(inputs, name);
  return project.write<Creation>({
    deadline,
    isLookupDue: () => Date.now() - listedAt > freshListMs,
    findDone: (isOutcomeUnknown) => {
      const find = async () => findExisting(declaration, await list(0));
      // After a request whose outcome is unknown, lists may not show the branch yet.
      const lag = deadline.next(isOutcomeUnknown ? Math.min(project.readLagMs, deadline.remainingMs) : 0);
      return rereadUntil(lag, find, (existing) => existing !== undefined);
    },
    send: async () => ({
      kind: 'new',
      change: await project.api.createBranch(project.id, attributes, deadline),
    }),
    onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (creation) => (creation.kind === 'new' ? creation.change.operations : []),
  });
}

/** Undefined when the branch is a duplicate, and was deleted. */
async function finishCreation(request: CreateRequest, id: string, creation: Creation) {
  const { project, declaration, claims, deadline, progress } = request;
  // An earlier program of this resource may have protected it.
  const inputs = creation.kind === 'own' ? { protected: false, ...request.inputs } : request.inputs;
  const isNew = creation.kind === 'new';
  const latest = isNew ? creation.change.branch : creation.branch;
  claims.claimCreated(id, declaration);
  const run = new BranchRun({ ...request, inputs, action: 'create', branchId: id }, latest, isNew);
  const finish = async () => {
    if (isNew) await run.awaitChange(creation.change);
    else await run.awaitCreation();
    // Until the last step, a repeated create finds the branch.
    await run.apply((await run.findDrift()).filter((name) => name !== 'name'));
    const finished = await run.finish('name');
    if (creation.kind !== 'adopted' && (await deleteDuplicates(request, latest))) return undefined;
    if (inputs.name === undefined || inputs.name === finished.name) return finished;
    await run.apply(['name']);
    return run.finish();
  };
  return run.keepInState(
    finish().catch(async (error: unknown) => {
      // The failure may come from the older branch's create, which deletes this one.
      if (!isNew || deadline.hasPassed || !(await isDuplicate(request, id).catch(() => false))) throw error;
      // If this fails, too, the take-over of the older branch repeats it.
      await deleteBranch(project, id, deadline, progress).catch(() => undefined);
      return undefined;
    }),
  );
}

/**
 * Deletes the duplicates that other creates of this resource left, and whose ids no state has: those of a killed process, or
 * of another one that runs now. The oldest stays. Returns true when this branch was such a duplicate itself.
 */
async function deleteDuplicates(request: CreateRequest, { id }: Branch): Promise<boolean> {
  const { project, deadline, progress } = request;
  // A list that shows this branch shows an older one too.
  const list = () => project.branches.fresh();
  const isListed = (branches: readonly Branch[]) => branches.some((branch) => branch.id === id);
  const branches = await rereadUntil(deadline.next(project.readLagMs), list, isListed);
  const { place, younger } = findOwn(request, branches, id);
  // Which of the others are younger can't be told.
  if (place < 0) return isDuplicate(request, id);
  const duplicates = place > 0 ? [id] : younger.map((branch) => branch.id);
  for (const duplicate of duplicates) await deleteBranch(project, duplicate, deadline, progress);
  return place > 0;
}

/** Whether another create of this resource has an older branch, and deletes this one or has done so. */
async function isDuplicate(request: CreateRequest, id: string): Promise<boolean> {
  const { project, deadline } = request;
  const { own, place } = findOwn(request, await project.branches.fresh(), id);
  if (place >= 0 || own.length === 0) return place > 0;
  return !(await project.branches.exists(id, project.readLagMs, deadline));
}

/** The branches of this resource, the oldest first, and the place of one of them; -1 when the list does not show it. */
function findOwn({ declaration, inputs, claims }: CreateRequest, branches: readonly Branch[], id: string) {
  const { resource } = declaration;
  const unfinished = toUnfinishedNames(declaration);
  // After a failure, a resource has such a branch in state.
  const isOthers = (other: string) => (claims.keeperOf(other, undefined) ?? resource.urn) !== resource.urn;
  // The older one may have its final name by now.
  const names = inputs.name === undefined ? unfinished : [...unfinished, inputs.name];
  const own = findNamed(branches, names).filter((branch) => branch.id === id || !isOthers(branch.id));
  const place = own.findIndex((branch) => branch.id === id);
  const younger = own.slice(place + 1).filter(({ name }) => unfinished.includes(name));
  return { own, place, younger };
}
