import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import type { DoorName } from '../../tests/support/program-doors';
import { findHosts, hostExitMs, kill } from '../../tests/support/provider-hosts';
import type { PulumiStack } from '../../tests/support/pulumi-stack';
import { arrivalsAt } from '../request-meter';
import { withBenchStack } from './bench-stack';
import { readEndpoints } from './state-size';

/** Longer than any measurement, so that the create still waits for its operation when the CLI is cut off. */
const operationMs = 120_000;
const watchMs = 5;

/** Milliseconds from Ctrl-C, during a create that waits for its operation, until the CLI has ended. */
export function measureInterruption(door: DoorName): Promise<number> {
  return whileCreateWaits(door, async ({ stack, command, pid }) => {
    const startedAt = performance.now();
    kill(pid, 'SIGINT');
    await command;
    const ms = performance.now() - startedAt;
    const kept = (await readEndpoints(stack.backend)).length;
    if (kept !== 1) throw new Error(`the state has ${kept} endpoints after Ctrl-C, not 1`);
    return ms;
  });
}

/** The processes of the provider that are left 3 s after `kill -9` of the CLI, during a create that waits. */
export function countLeftProcesses(door: DoorName): Promise<number> {
  return whileCreateWaits(door, async ({ stack, command, pid }) => {
    if ((await findHosts(stack)).length === 0)
      throw new Error('no process was found that hosts the provider');
    kill(pid, 'SIGKILL');
    await command;
    await sleep(hostExitMs);
    const left = await findHosts(stack);
    for (const host of left) kill(host, 'SIGKILL');
    return left.length;
  });
}

interface WaitingCreate {
  readonly stack: PulumiStack;
  /** Settles when the command has ended. */
  readonly command: Promise<unknown>;
  readonly pid: number;
}

function whileCreateWaits<Result>(
  door: DoorName,
  work: (create: WaitingCreate) => Promise<Result>,
): Promise<Result> {
  return withBenchStack({ door, kind: 'ours', count: 1 }, { operationMs }, async (stack, emulator) => {
    const started = stack.start('up', '--yes', '--skip-preview');
    const { pid } = started;
    if (pid === undefined) throw new Error('the CLI did not start');
    let hasEnded = false;
    const command = started.then(String, String).finally(() => {
      hasEnded = true;
    });
    while (!isWaiting(emulator)) {
      if (hasEnded) throw new Error(`the CLI ended before the create waited: ${await command}`);
      await sleep(watchMs);
    }
    return work({ stack, command, pid });
  });
}

/** Whether the provider has polled an operation of its create. */
function isWaiting(emulator: Emulator): boolean {
  const arrivals = arrivalsAt(emulator);
  const created = arrivals.findIndex(({ method }) => method === 'POST');
  return (
    created >= 0 &&
    arrivals.slice(created).some(({ method, path }) => method === 'GET' && path.includes('/operations'))
  );
}
