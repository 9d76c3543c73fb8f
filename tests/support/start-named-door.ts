import type { EmulatorOptions } from 'postgres-control-emulator';
import { ControlApi } from '../../provider/src/control-api/control-api';
import type { NamedKind } from '../../provider/src/control-api/wire-types';
import { commandsOf, type Door, type Program } from './door';
import { startDoor } from './start-door';

type Options = EmulatorOptions & { readLagMs?: number };

/**
 * Starts an emulator, and runs of the engine for the resource `api`, a role or database of the branch `feature`.
 * @param given what it has beside its path and the name `app`
 */
export async function startNamedDoor(door: Door, kind: NamedKind, given: object = {}, options: Options = {}) {
  const { emulator, project, branch, startRun: start, writes } = await startDoor(door, options);
  const startRun = () => start(undefined, kind);
  const at = { projectId: project.id, branchId: branch.id };
  const declare = (args: Program['args'] = {}, timeoutSeconds?: number): Program => ({
    args: { ...at, name: 'app', ...given, ...args },
    timeoutSeconds,
  });
  const api = new ControlApi({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  return {
    ...commandsOf(startRun, declare),
    emulator,
    project,
    branch,
    at,
    api,
    startRun,
    declare,
    writes,
    names: async () => (await api.listNamed(kind, at)).map(({ name }) => name),
  };
}
