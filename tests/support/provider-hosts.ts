import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PulumiStack } from './pulumi-stack';

/** In the command line of a process of either provider. The last is Pulumi's script that starts the dynamic one. */
const providerPrograms = ['dynamic-provider', 'plugin/main.js', 'pulumi-resource-pulumi-nodejs'];

/** The processes that host the provider with the environment of this stack: its PULUMI_HOME and its address of the service. */
export async function findHosts(stack: PulumiStack): Promise<number[]> {
  const names = ['PULUMI_HOME', 'POSTGRES_COMPUTE_BASE_URL'];
  const settings = names.flatMap((name) => {
    const value = stack.environment[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const command = await readProcess(pid, 'cmdline');
    if (!providerPrograms.some((program) => command.includes(program))) continue;
    const environment = (await readProcess(pid, 'environ')).split('\0');
    if (settings.every((setting) => environment.includes(setting))) found.push(pid);
  }
  return found;
}

/** Reads a file of a process in /proc. Empty if the process has ended. */
export function readProcess(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

/** How long a host may outlive its CLI, even a killed one, on a busy machine. */
export const hostExitMs = 30_000;

/** Waits for the hosts to exit. Returns those that still run after that time. */
export async function waitForHosts(stack: PulumiStack): Promise<number[]> {
  const end = Date.now() + hostExitMs;
  for (;;) {
    const hosts = await findHosts(stack);
    if (hosts.length === 0 || Date.now() > end) return hosts;
    await sleep(100);
  }
}

/** Kills the hosts that do not exit by themselves. */
export async function endHosts(stack: PulumiStack): Promise<void> {
  for (const host of await waitForHosts(stack)) kill(host, 'SIGKILL');
}

/** Sends a signal. Returns whether the process existed. */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
