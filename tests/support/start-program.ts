import { startEngineRuns } from './start-engine-run';

/** An emulator, and a first run of a program that declares endpoints on a branch, `feature`. */
export async function startProgram(config?: Readonly<Record<string, string>>) {
  const ground = await startEngineRuns();
  const projectId = ground.project.id;
  const on = (branchId: string, args: object = {}) => ({ projectId, branchId, type: 'read_write', ...args });
  return { ...ground, projectId, feature: ground.branch.id, on, run: ground.startRun(config) };
}

/** The same, with a branch `one` in state, whose name is `data`. */
export async function startBranchProgram(config?: Readonly<Record<string, string>>) {
  const ground = await startProgram(config);
  const { emulator, projectId } = ground;
  const one = await ground.startRun().create('branch', 'one', { projectId, name: 'data' });
  const isThere = (id: string) => emulator.branches(projectId).some((branch) => branch.id === id);
  return { ...ground, one, isThere };
}
