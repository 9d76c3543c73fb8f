import { sumBy } from 'lodash';
import type { Fault } from 'postgres-control-emulator';
import type { Stack } from '../engine/stack';
import { isDrift } from '../scenario/other-people';
import { isDestroy, type Round } from '../scenario/scenario';
import { slotName } from '../user/declared-slot';
import type { RunResult, World } from '../user/world';
import type { Baseline } from './baseline';
import { checkAgreement, checkSuccess } from './rest-checks';

/** Checks that a run that succeeds under faults has applied everything. */
export function checkFalseSuccess(
  world: World,
  round: Round,
  stacks: readonly Stack[],
  results: readonly (RunResult | undefined)[],
): void {
  if (round.command === 'refresh' || round.disturbances.some(isDrift)) return;
  for (const [index, stack] of stacks.entries()) {
    const result = results[index];
    if (!result?.isSuccess) continue;
    if (isDestroy(round)) checkDestroyed(world, stack);
    else if (round.slots.every(({ isWaiting }) => isWaiting)) {
      checkAgreement(world, stack);
      checkSuccess(world, stack, result.startedAt);
    }
  }
}

function checkDestroyed(world: World, stack: Stack): void {
  const { ground, book } = world;
  const slots = world.slotsOf(stack);
  const endpoints = ground.own().filter((each) => slots.includes(ground.slotOf(each) ?? -1));
  const left = [...endpoints, ...slots.flatMap((slot) => ground.branches.own(slot))].map(({ id }) => id);
  book.check('no false success', left.length === 0, () => `destroy succeeded, but the service has ${left}`);
}

/** Checks that a run succeeds in which nothing happens that the provider can't survive. */
export function checkFalseFailure(world: World, round: Round, results: readonly RunResult[]): void {
  const { isRunTwice, isGuarded, disturbances, faults } = round;
  if (isRunTwice || isGuarded || results.some(({ run }) => run.isCutOff)) return;
  const lockMs = sumBy(disturbances, ({ what, forMs }) =>
    what === 'lock the project' ? forMs : longestLockMs,
  );
  const arePollsRefused = faults.length === 1 && faults.every(refusesPolls);
  if (lockMs >= longestLockMs || !(arePollsRefused || faults.every(isSurvivable))) return;
  // A list has 90 s.
  if (faults.filter(({ effect }) => effect.kind === 'status' && effect.retryAfterSeconds === 60).length > 1)
    return;
  // With few requests a minute, each 429 takes one more, and all wait.
  const isLimited = (world.scenario.requestsPerMinute ?? 0) > 0;
  if (
    isLimited &&
    faults.filter(({ effect }) => effect.kind === 'status' && effect.status === 429).length > 1
  )
    return;
  // A shorter time-out may pass while requests are repeated, or while one stalls.
  const isSlowed = faults.length > 0 || world.journal.counts.has('stalled requests');
  if (world.scenario.timeoutSeconds < 600 && isSlowed) return;
  for (const { isSuccess, failures, run } of results)
    world.book.check(
      'no false failure',
      isSuccess ||
        failures.some(({ message }) => isRefusedLoss(world, message) || isForeignName(world, round, message)),
      () => `${run.name} failed: ${JSON.stringify(failures)}`,
    );
}

/** Whether the program replaces or resets a branch and does not say that this may delete its data, or the branch of what is deleted is protected. */
function isRefusedLoss({ ground }: World, message: string): boolean {
  const { plans, allowed, protectedByOthers } = ground.branches;
  if (/a reset of branch \S+ it is protected/.test(message)) return true;
  const [, branchId = ''] = /branch (br-\S+) is protected/.exec(message) ?? [];
  if (ground.branches.find(branchId)?.protected || protectedByOthers.has(branchId)) return true;
  const mayRefuse = plans.some((plan, slot) => !plan.allowsDataLoss && !allowed.has(slot));
  return mayRefuse && message.includes('allowDataLoss is not true');
}

/**
 * Whether other people have a branch or an endpoint of the declared name. A forced replacement of an endpoint that others have
 * renamed needs `adopt: true`: without state, it is foreign.
 */
function isForeignName({ ground }: World, { forced }: Round, message: string): boolean {
  const [, holder] = /already has an? (?:branch|endpoint) of that name, (\S+)/.exec(message) ?? [];
  // Where no list shows it yet.
  const [, taken] = /BRANCH_ALREADY_EXISTS\].*branch_name:"(.+?)"/.exec(message) ?? [];
  const isHolder = ({ id, name }: { id: string; name?: string | undefined }) =>
    id === holder || (taken !== undefined && name === taken);
  if ([...ground.foreign, ...ground.branches.foreign].some(isHolder)) return true;
  return forced.length > 0 && message.startsWith('branchId already has a read_write endpoint');
}

/** Other people's locks of this length may outlast a short time-out. Milliseconds. */
const longestLockMs = 12_500;

/** Whether each request succeeds if it is repeated, and each operation finishes. */
function isSurvivable({ match, effect }: Fault): boolean {
  if (effect.kind.startsWith('operation-')) return false;
  // Any other client error is final: the service itself, or a proxy in its place, refuses the request. It locks no reads.
  if (effect.kind === 'status' && effect.status === 423) return 'method' in match && match.method !== 'GET';
  if (effect.kind === 'status' && effect.status === 422) return false;
  return effect.kind !== 'proxy-page' || effect.status !== 404;
}

/** Whether it refuses only polls, and fewer of them than are final. The list may be the one before a step, where 423 is final. */
function refusesPolls({ match, effect, times = 1 }: Fault): boolean {
  if (!('path' in match) || !String(match.path).startsWith('/projects/:p/operations')) return false;
  const refusals = match.path === '/projects/:p/operations' ? [404] : [404, 423];
  const isRefusal =
    (effect.kind === 'proxy-page' || effect.kind === 'status') && refusals.includes(effect.status);
  return isRefusal && Number(times) < finalRefusals;
}

/** So many refused polls in a row are final. */
const finalRefusals = 3;

/** Checks that a run with `allowRestart: false` has dropped no connections. */
export function checkGate(world: World, round: Round, baseline: Baseline): void {
  const { ground, book } = world;
  if (!round.isGuarded || isDestroy(round)) return;
  for (const [slot, { id, drops }] of baseline) {
    const isTouched = [...round.disturbances, ...round.forced].some((each) => each.slot === slot);
    if (isTouched || !world.plans[slot]?.isDeclared) continue;
    book.check(
      'allowRestart is respected',
      ground.controls.connectionDrops(id) <= drops,
      () => `${slotName(slot)}: ${id} has lost its connections`,
    );
  }
}

/** Whether the run has failed without having seen what a request has done. */
export function hasLostResponse({ failures }: RunResult): boolean {
  return failures.some(({ message }) => lostResponse.test(message));
}

const lostResponse = /no usable response|not the service's own response|: (408|425|5(0[0247]|[1-9]\d)) /;
