import { rm } from 'node:fs/promises';
import { bundleSimulation, runShare, type ScheduleKind, type Share } from './simulating-process';
import { Totals } from './totals';

/** After so many failures the rest would only repeat them. */
const mostFailures = 20;

/** Simulates in several processes, each with its own part of the seeds. */
export async function simulateInParallel(options: {
  readonly schedules?: number;
  readonly for: number;
  readonly first: number;
  readonly parallel: number;
  readonly kind?: ScheduleKind;
}): Promise<Totals> {
  const { schedules, first, parallel, kind } = options;
  const numbers = Array.from({ length: parallel }, (_, index) => index);
  const shares = numbers.map((number): Share => {
    const part = schedules === undefined ? undefined : Math.ceil((schedules - number) / parallel);
    const seconds = schedules === undefined ? options.for : undefined;
    return { first: first + number, step: parallel, schedules: part, seconds, kind, mostFailures };
  });
  const program = await bundleSimulation();
  const totals = new Totals();
  try {
    for (const result of await Promise.all(shares.map((share) => runShare(program, share))))
      totals.addAll(result);
  } finally {
    await rm(program);
  }
  return totals;
}
