import type { EmulatorOptions } from 'postgres-control-emulator';
import type { EndpointInputs } from '../../provider/src/endpoint/endpoint-inputs';
import type { Door, Kind, Program } from './door';
import { dynamicDoor } from './dynamic-door';
import { pluginDoor } from './plugin-door';
import { idsOf, ownEndpoints, startService } from './start-service';

/** For `describe.each`: what follows holds for each of them. */
export const doors: [string, Door][] = [
  ['the dynamic provider', dynamicDoor],
  ['the provider plugin', pluginDoor],
];

/** Starts an emulator with a project and an empty branch, and functions for a resource that reach it through the door. */
export async function startDoor(door: Door, options: EmulatorOptions & { readLagMs?: number } = {}) {
  const service = await startService(options);
  const { project, branch, emulator } = service;
  /** Starts a run of the engine. @param config the settings of the stack's config, by their bare names */
  const startRun = (config?: Record<string, string>, kind?: Kind) =>
    door.start(service.lifecycleOptions(), config, kind);
  /** Autoscaling from 0.25 to 1 CU on the empty branch, unless the arguments differ. */
  const declare = (args: Partial<EndpointInputs> = {}, more: Omit<Program, 'args'> = {}): Program => ({
    args: {
      projectId: project.id,
      branchId: branch.id,
      type: 'read_write',
      autoscalingLimitMinCu: 0.25,
      autoscalingLimitMaxCu: 1,
      ...args,
    },
    ...more,
  });
  return {
    emulator,
    project,
    branch,
    startRun,
    declare,
    held: () => ownEndpoints(service),
    heldIds: () => idsOf(service),
    writes: () => emulator.requests().filter(({ method }) => method !== 'GET'),
  };
}
