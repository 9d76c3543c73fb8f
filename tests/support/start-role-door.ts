import type { EmulatorOptions } from 'postgres-control-emulator';
import type { RoleInputs } from '../../provider/src/named/role-type';
import type { Door } from './door';
import { startDoor } from './start-door';

/** Starts an emulator, and runs of the engine for the resource `api`, a Role of the empty branch. */
export async function startRoleDoor(door: Door, options: EmulatorOptions & { readLagMs?: number } = {}) {
  const { emulator, project, branch, startRun, writes } = await startDoor(door, options);
  const declare = (args: Partial<RoleInputs> = {}, timeoutSeconds?: number) => ({
    args: { projectId: project.id, branchId: branch.id, name: 'app', ...args },
    timeoutSeconds,
  });
  return { emulator, project, branch, startRun: () => startRun(undefined, 'role'), declare, writes };
}
