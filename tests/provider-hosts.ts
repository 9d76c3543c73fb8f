import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import type { PulumiStack } from './pulumi-stack';

/** The processes that host the provider for this stack, found by the home that only this stack has. */
export async function findHosts(stack: PulumiStack): Promise<number[]> {
  const home = `PULUMI_HOME=${stack.environment.PULUMI_HOME}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    if (!(await readProcess(pid, 'cmdline')).includes('dynamic-provider')) continue;
    if ((await readProcess(pid, 'environ')).split('\0').includes(home)) found.push(pid);
  }
  return found;
}

/** What the kernel tells of a process in that file of /proc; empty when it has ended meanwhile. */
export function readProcess(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

/** Longer than a host that still works goes without a request. */
const quietMs = 2_000;

/** A host outlives a killed CLI: it finishes what it was doing, and then it would stay for ever. */
export async function endHosts(stack: PulumiStack, emulator: Emulator): Promise<void> {
  for (;;) {
    const hosts = await findHosts(stack);
    if (hosts.length === 0) return;
    const before = emulator.requests().length;
    await sleep(quietMs);
    if (emulator.requests().length === before) for (const host of hosts) kill(host, 'SIGKILL');
  }
}

/** Returns whether there was such a process. */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended by itself meanwhile.
    return false;
  }
}
