import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault } from 'postgres-control-emulator';
import type { Stack } from '../engine/stack';
import type { CountedEvent } from '../run/journal';
import { isDrift } from '../scenario/other-people';
import { isDestroy, type Round, type Scenario } from '../scenario/scenario';
import { act } from './act';
import { mayHaveReplacedBeside, unlock } from './recover';
import { settle } from './settle';
import type { Command, RunResult, World } from './world';

const plainCommands: Readonly<Record<Round['command'], Command>> = {
  up: 'up',
  'up --refresh': 'up',
  refresh: 'refresh',
  destroy: 'destroy',
  'destroy --refresh': 'destroy',
};

/** Runs the commands of the round, while things go wrong. */
export async function runDisturbed(
  world: World,
  round: Round,
  stacks: readonly Stack[],
): Promise<RunResult[]> {
  const { command, forced } = round;
  let pending = round.disturbances.filter(({ at }) => at > 0);
  world.journal.count('forced replacements', forced.length);
  for (const stack of stacks) for (const urn of urnsOf(world, stack, round, 'taint')) await stack.taint(urn);
  const runs = stacks.map((stack, index) => {
    const isFirst = index === 0;
    return world.run(stack, {
      command: plainCommands[command],
      refreshesFirst: command.endsWith(' --refresh'),
      replaceTargets: new Set(command.startsWith('up') ? urnsOf(world, stack, round, '--replace') : []),
      ...(isFirst && {
        mishap: round.mishap,
        onEvent: (event: number) => {
          for (const disturbance of pending) if (disturbance.at === event) act(world, disturbance);
        },
      }),
    });
  });
  const [first] = stacks;
  if (round.isRunTwice && first) runs.push(world.run(first, { command: 'up' }));
  const results = await Promise.all(runs);
  // The host of a killed CLI lives on. Drift that began after the user's refresh would make the repairing run fail.
  pending = pending.filter((disturbance) => !isDrift(disturbance));
  return results;
}

/** The resources of a stack that the round replaces in this way. */
function urnsOf(
  world: World,
  stack: Stack,
  { forced }: Round,
  how: Round['forced'][number]['how'],
): string[] {
  const own = forced.filter((force) => force.how === how && world.slotsOf(stack).includes(force.slot));
  return own.map(({ slot, isBranch = false }) =>
    isBranch ? world.branchUrnOf(stack, slot) : world.urnOf(stack, slot),
  );
}

/** Runs the failed commands again. Returns the results by stack. */
export async function repeatFailed(
  world: World,
  round: Round,
  stacks: readonly Stack[],
  results: readonly RunResult[],
): Promise<(RunResult | undefined)[]> {
  const { command, isLeft } = round;
  const isCutOff = results.some(({ run }) => run.isCutOff);
  // The repetition has to see what a killed run did: the next program may revert it.
  if (isLeft || (isCutOff && mayHaveReplacedBeside(world, round))) {
    await sleep(world.scenario.longestDelayMs);
    await settle(world);
  }
  const repeated: (RunResult | undefined)[] = [];
  for (const [index, stack] of stacks.entries()) {
    if (results[index]?.isSuccess || command === 'refresh') {
      repeated.push(undefined);
      continue;
    }
    await unlock(world, stack);
    repeated.push(await world.run(stack, { command: isDestroy({ command }) ? 'destroy' : 'up' }));
  }
  return repeated;
}

/** How far reads may lag behind in the round. */
export function longestLagMs({ service }: Scenario, { faults, lateReads }: Round): number {
  const { lateListsMs = 0, lateGetsMs = 0 } = service;
  const lags = [...faults, ...lateReads].map(({ effect }) =>
    effect.kind === 'late-read' ? effect.lateMs : 0,
  );
  return Math.max(lateListsMs, lateGetsMs, ...lags);
}

const counted: Partial<Record<InjectedFault['fault']['effect']['kind'], CountedEvent>> = {
  'late-read': 'late reads',
  'lost-before-work': 'lost requests',
  'lost-after-work': 'lost responses',
  'proxy-page': 'proxy pages',
  status: 'odd statuses',
  'cut-off': 'broken responses',
  malformed: 'broken responses',
  'operation-fails': 'failed operations',
  'operation-hangs': 'hanging operations',
  'operation-status': 'hanging operations',
};

export function countFaults({ journal }: World, faults: readonly InjectedFault[]): void {
  for (const { fault, hits } of faults) {
    const event = counted[fault.effect.kind];
    if (event) journal.count(event, hits);
  }
}
