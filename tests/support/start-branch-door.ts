import type { EmulatorOptions } from 'postgres-control-emulator';
import type { BranchInputs } from '../../provider/src/branch/branch-inputs';
import type { Door } from './door';
import { startDoor } from './start-door';

/** Starts an emulator, and runs of the engine for the resource `api`, a Branch. */
export async function startBranchDoor(door: Door, options: EmulatorOptions & { readLagMs?: number } = {}) {
  const { emulator, project, branch, startRun, writes } = await startDoor(door, options);
  const declare = (args: Partial<BranchInputs> = {}, timeoutSeconds?: number) => ({
    args: { projectId: project.id, ...args },
    timeoutSeconds,
  });
  const existing = new Set(emulator.branches(project.id).map(({ id }) => id));
  /** The branches that a test has created. */
  const held = () => emulator.branches(project.id).filter(({ id }) => !existing.has(id));
  return {
    emulator,
    project,
    feature: branch,
    startRun: () => startRun(undefined, 'branch'),
    /** Starts a run for an endpoint. */
    startEndpointRun: () => startRun(),
    declare,
    held,
    writes,
  };
}
