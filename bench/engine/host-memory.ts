import { findHosts, readProcess } from '../../tests/support/provider-hosts';
import type { PulumiStack } from '../../tests/support/pulumi-stack';

const sampleEveryMs = 200;
/** Looking through every process of the machine takes time that is being measured, so it is done less often. */
const searchEvery = 5;

/**
 * The largest resident set that the process which hosts the provider has had, in MB: the kernel's own high-water mark,
 * read while the work runs. 0 when no such process was seen.
 */
export async function measureHostMemory(stack: PulumiStack, work: () => Promise<unknown>): Promise<number> {
  let peakMb = 0;
  let hosts: number[] = [];
  let isBusy = false;
  let samples = 0;
  const sample = async () => {
    if (isBusy) return;
    isBusy = true;
    if (samples % searchEvery === 0) hosts = await findHosts(stack);
    samples += 1;
    for (const pid of hosts) peakMb = Math.max(peakMb, await readPeakMb(pid));
    isBusy = false;
  };
  const timer = setInterval(() => void sample(), sampleEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peakMb;
}

async function readPeakMb(pid: number): Promise<number> {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(await readProcess(pid, 'status'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}
