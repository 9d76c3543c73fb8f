import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault } from 'postgres-control-emulator';
import { findHosts, kill, waitForHosts } from '../support/provider-hosts';
import { type Interruption, oddKinds } from './mishap';
import type { Round } from './scenario';
import type { Trial } from './trial';

/** The outcome of a run under faults. */
export interface Disturbance {
  /** The exit code of the command; not 0 when it was interrupted. */
  readonly exitCode: number;
  readonly wasCutOff: boolean;
  readonly faults: number;
  readonly startedAt: number;
}

/** The interval between checks of the requests for the moment of an interruption. Milliseconds. */
const watchMs = 10;

/** Runs `pulumi up` under the faults of the round, and interrupts it at the moment that the round defines. */
export async function disturb(trial: Trial, round: Round): Promise<Disturbance> {
  const { emulator, stack, report } = trial;
  await taint(trial, round);
  const replaced = round.forced.filter(({ how }) => how === '--replace');
  const args = [
    'up',
    '--yes',
    '--skip-preview',
    ...replaced.flatMap(({ slot }) => ['--replace', trial.urnOf(slot)]),
  ];
  report.replacements += round.forced.length + round.forced.filter(({ follower }) => follower).length;
  const faults = round.faults.map((fault) => emulator.inject(fault));
  const before = emulator.requests().length;
  const end = new AbortController();
  const startedAt = Date.now();
  const command = stack.start(...args);
  const cut = waitForMoment(trial, round.interruption, end.signal).then((isDue) =>
    isDue ? interrupt(trial, round.interruption, command.pid, before) : 0,
  );
  const { exitCode = -1, all } = await command.catch((error) => error);
  end.abort();
  const kills = await cut;
  trial.note(args, exitCode, String(all));
  report.kills += kills;
  for (const fault of faults) fault.clear();
  countFaults(trial, faults);
  return {
    exitCode,
    wasCutOff: kills > 0,
    faults: faults.reduce((sum, { hits }) => sum + hits, 0),
    startedAt,
  };
}

export function countFaults({ report }: Trial, faults: readonly InjectedFault[]): void {
  for (const { fault, hits } of faults) {
    const { kind } = fault.effect;
    if (kind === 'late-read') report.lateReads += hits;
    else report.faults += hits;
    if (oddKinds.includes(kind)) report.oddStatuses += hits;
  }
}

async function taint(trial: Trial, { forced }: Round): Promise<void> {
  const urns = forced.filter(({ how }) => how === 'taint').map(({ slot }) => trial.urnOf(slot));
  if (urns.length === 0) return;
  const { exitCode, screen } = await trial.run('state', 'taint', '--yes', ...urns);
  if (exitCode !== 0) trial.violate(`taint failed:\n${screen}`);
}

/** Returns whether the moment came before the run ended. */
async function waitForMoment(
  { emulator }: Trial,
  { kind, after, delayMs }: Interruption,
  signal: AbortSignal,
): Promise<boolean> {
  if (kind === 'none') return false;
  const before = emulator.requests().length;
  const isReached = () => {
    if (after === 'start') return true;
    const writes = emulator
      .requests()
      .slice(before)
      .filter(({ method }) => method !== 'GET');
    if (after === 'rename') return writes.some(({ method, body }) => method === 'PATCH' && isRename(body));
    return writes.length >= after;
  };
  try {
    while (!isReached()) await sleep(watchMs, undefined, { signal });
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

function isRename(body: unknown): boolean {
  return (body as { endpoint?: { name?: string } } | undefined)?.endpoint?.name !== undefined;
}

/** Returns the number of processes that it signalled. */
async function interrupt(trial: Trial, { kind }: Interruption, pid = 0, before = 0): Promise<number> {
  if (kind === 'kill -9 of the host')
    return (await findHosts(trial.stack)).filter((host) => kill(host, 'SIGKILL')).length;
  if (kind === 'Ctrl-C') return kill(pid, 'SIGINT') ? 1 : 0;
  if (!kill(pid, 'SIGKILL')) return 0;
  // The dynamic provider's host loads it for the first resource. Before that it runs only Pulumi's code, and outlives
  // the CLI.
  const isLoaded = trial.door === 'plugin' || trial.emulator.requests().length > before;
  const left = await waitForHosts(trial.stack);
  if (isLoaded && left.length > 0) trial.violate('the provider host still runs 3 s after the CLI was killed');
  for (const host of left) kill(host, 'SIGKILL');
  return 1;
}
