import type { EmulatorOptions } from 'postgres-control-emulator';
import { commandsOf, type Door, type Program } from './door';
import { startDoor } from './start-door';

/** Starts an emulator, and runs of the engine for the resource `api`, a Branch. */
export async function startBranchDoor(door: Door, options: EmulatorOptions & { readLagMs?: number } = {}) {
  const ground = await startDoor(door, options);
  const { emulator, project, branch } = ground;
  const declare = (args: Program['args'] = {}, timeoutSeconds?: number) => ({
    args: { projectId: project.id, ...args },
    timeoutSeconds,
  });
  const existing = new Set(emulator.branches(project.id).map(({ id }) => id));
  const startRun = () => ground.startRun(undefined, 'branch');
  return {
    ...ground,
    ...commandsOf(startRun, declare),
    main: emulator.branches(project.id).find((each) => each.default) ?? branch,
    feature: branch,
    startRun,
    /** Starts a run for an endpoint. */
    startEndpointRun: () => ground.startRun(),
    declare,
    /** The branches that a test has created. */
    held: () => emulator.branches(project.id).filter(({ id }) => !existing.has(id)),
  };
}
