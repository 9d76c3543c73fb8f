import { setTimeout as sleep } from 'node:timers/promises';
import { trueTime } from '../time/virtual-time';
import type { World } from './world';

const longestSettlingMs = 60_000;

/** Waits until the operations of the programs' endpoints have finished, and until reads show it. */
export async function settle({ ground, lagMs }: World): Promise<void> {
  const finals = new Set(['finished', 'skipped', 'failed', 'error', 'cancelled']);
  const isSettled = () => ground.ownOperations().every(({ status }) => finals.has(status));
  const end = trueTime() + longestSettlingMs;
  while (!isSettled() && trueTime() < end) await sleep(50);
  await sleep(lagMs);
}
