import { readdir, readFile } from 'node:fs/promises';

const sampleEveryMs = 200;
/** Looking through every process of the machine takes time that is being measured, so it is done less often. */
const searchEvery = 5;

/**
 * The largest resident set that the process which hosts the provider has had, in MB: the kernel's own high-water mark,
 * read while the work runs. The process is known by the home that only this run has.
 * @throws Error when there was no such process
 */
export async function measureHostMemory(home: string, work: () => Promise<unknown>): Promise<number> {
  let peakMb = 0;
  let hosts: string[] = [];
  let isBusy = false;
  let samples = 0;
  const sample = async () => {
    if (isBusy) return;
    isBusy = true;
    if (samples % searchEvery === 0) hosts = await findHosts(home);
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
  if (peakMb > 0) return peakMb;
  throw new Error('no process was found that hosts the provider');
}

async function findHosts(home: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const pid of pids) {
    if (!(await readProcess(pid, 'cmdline')).includes('dynamic-provider')) continue;
    if ((await readProcess(pid, 'environ')).split('\0').includes(`PULUMI_HOME=${home}`)) found.push(pid);
  }
  return found;
}

async function readPeakMb(pid: string): Promise<number> {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(await readProcess(pid, 'status'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Empty when the process has ended meanwhile. */
function readProcess(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
