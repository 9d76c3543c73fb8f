import { readdir, readFile } from 'node:fs/promises';

const sampleEveryMs = 100;

/**
 * The largest resident set that the process which hosts the provider has had, in MB, sampled while the work runs. The
 * process is known by the home that only this run has.
 */
export async function measureHostMemory(home: string, work: () => Promise<unknown>): Promise<number> {
  let peakMb = 0;
  let isBusy = false;
  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    for (const pid of await findHosts(home)) peakMb = Math.max(peakMb, await readPeakMb(pid));
    isBusy = false;
  }, sampleEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peakMb;
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
