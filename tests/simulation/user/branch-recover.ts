import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../engine/stack';
import { settle } from './settle';
import type { World } from './world';

const advice = {
  adopt: /set adopt: true with this name/,
  allow: /allowDataLoss is not true/,
  again: /it no longer exists\. Run `pulumi up` again/,
  taken: /BRANCH_ALREADY_EXISTS|already has a branch of that name/,
};

/**
 * Follows the advice of an error about a Branch. The contract allows:
 * - A create was killed right after the rename to the final name: the error names the branch and advises `adopt: true`.
 * - A branch of another client has the declared name: the user chooses another name.
 * - The program replaces the branch and does not say `allowDataLoss: true`: the user adds it.
 * - The service has failed to create the branch: the next `up` replaces it.
 * - A list still showed a branch that no longer exists: the error says to run `pulumi up` again.
 */
export async function followBranchAdvice(
  world: World,
  stack: Stack,
  isCutOff: boolean,
  urn: string,
  message: string,
  startedAt: number,
): Promise<boolean> {
  const { ground, journal } = world;
  const { branches, texts } = ground;
  const slot = world.slotOfUrn(urn);
  const plan = branches.declared(slot);
  if (!plan) return false;
  if (advice.allow.test(message)) {
    if (branches.allowed.has(slot) || plan.allowsDataLoss) return false;
    branches.allowed.add(slot);
    journal.note('user', () => `sets allowDataLoss: true for the branch of slot ${slot}`);
    return true;
  }
  if (advice.again.test(message)) {
    await settle(world);
    return true;
  }
  if (hasFailedToCreate(world, slot, message, startedAt)) return true;
  const named = findNamed(world, message);
  if (!advice.taken.test(message)) return false;
  // The message hides a name that is a secret, but the user knows it.
  const name = branches.name(slot, plan);
  const isRefused = message.includes(unfinishedMark) === false;
  const taken = isRefused ? branches.foreign.find((branch) => branch.name === name) : undefined;
  if (taken && plan.name !== undefined) {
    texts.avoidName(slot, plan.project, plan.name, 'branch');
    journal.count('renames');
    journal.note('user', () => `chooses another name for the branch of slot ${slot}`);
    return true;
  }
  const isLost = named && !stack.state.resources.some(({ id }) => id === named.id);
  const isOwn = named && branches.slotOf(named.id) === slot;
  if (advice.adopt.test(message) && isCutOff && isLost && isOwn && !branches.adopted.has(slot)) {
    branches.adopted.set(slot, named.name);
    journal.count('adoptions');
    journal.note('user', () => `sets adopt: true for the branch of slot ${slot}, ${named.name}`);
    return true;
  }
  // A list showed a branch that has been deleted.
  if (named || world.lagMs === 0) return false;
  journal.count('stale refusals');
  await sleep(world.lagMs);
  return true;
}

const unfinishedMark = '-creating';

/** Whether the operation that creates the branch failed, and it had been started before this run. */
function hasFailedToCreate({ ground }: World, slot: number, message: string, startedAt: number): boolean {
  const [, id] = /create_branch (\S+?)[ :]/.exec(message) ?? [];
  const created = ground.branches.own(slot).map((branch) => ground.branches.creationOf(branch.id));
  return created.some(
    (each) => each?.id === id && each !== undefined && Date.parse(each.created_at) <= startedAt,
  );
}

/** The branch that the error names: by its id, or by its name. */
export function findNamed({ ground }: World, message: string) {
  const held = ground.branches.held();
  const [id] = message.match(/\bbr-[a-z]+-[a-z]+-\d+/) ?? [];
  const [, name] = /branch_name:"([^"]+)"/.exec(message) ?? [];
  const byName = name === undefined ? undefined : held.find((branch) => branch.name === name);
  return byName ?? held.find((branch) => branch.id === id);
}
