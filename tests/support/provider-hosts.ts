import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** What the kernel reports of a process in that file of /proc; empty when the process has ended. */
export function readProcess(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

/** A host ends with its CLI, however that ended. Milliseconds. */
const lastWordMs = 3_000;

/** Waits until no host is left. Returns those that are left all the same. */
export async function waitForHosts(stack: PulumiStack): Promise<number[]> {
  const end = Date.now() + lastWordMs;
  for (;;) {
    const hosts = await findHosts(stack);
    if (hosts.length === 0 || Date.now() > end) return hosts;
    await sleep(100);
  }
}

/** Ends the hosts that have not ended by themselves. */
export async function endHosts(stack: PulumiStack, _emulator?: unknown): Promise<void> {
  for (const host of await waitForHosts(stack)) kill(host, 'SIGKILL');
}

/** Returns whether there was such a process. */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has already ended.
    return false;
  }
}
