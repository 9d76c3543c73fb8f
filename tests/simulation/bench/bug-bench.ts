import { rm } from 'node:fs/promises';
import type { Violation } from '../rules/rules';
import { bundleSimulation, runShare } from '../run/simulating-process';
import { type KnownFault, patchPlugin } from './patched-source';

/** What the simulation finds of a fault. */
export interface BenchResult {
  readonly fault: KnownFault;
  /** How many schedules ran, the one included that found the fault. */
  readonly schedules: number;
  /** What that schedule broke first; undefined when the fault was not found. */
  readonly violation: Violation | undefined;
}

/** Simulates the provider with the fault, from seed 1 on, until a schedule breaks a rule. */
export async function findFault(fault: KnownFault, limit: number): Promise<BenchResult> {
  const name = `fault-${process.pid}-${fault.name.replaceAll(/\W+/g, '-')}`;
  const program = await bundleSimulation(name, [patchPlugin(fault)]);
  try {
    const share = { first: 1, step: 1, schedules: limit, mostFailures: 1 };
    const { schedules, failures } = await runShare(program, share);
    return { fault, schedules, violation: failures[0]?.violations[0] };
  } finally {
    await rm(program);
  }
}
