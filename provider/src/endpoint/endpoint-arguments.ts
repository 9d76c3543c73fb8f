import { isMatch, xor } from 'lodash';
import type { Endpoint, EndpointAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import type { EndpointInputs, PreloadLibraries } from './endpoint-inputs';

/** In any order; what is left out has the service's default, as in the state of an earlier release. */
function isSameLibraries(left: PreloadLibraries, right: PreloadLibraries = {}): boolean {
  const { useDefaults = true, enabledLibraries = [] } = left;
  const isSame = xor(enabledLibraries, right.enabledLibraries).length === 0;
  return isSame && useDefaults === (right.useDefaults ?? true);
}

/**
 * What a change of an argument does.
 * - `replace`: a new endpoint takes the place of the old one.
 * - `restart`: an active compute restarts, and its connections drop. The service restarts it for a change of either bound of
 *   the size and of the preloaded libraries (docs/service.md, "What a change does").
 * - `move`: the endpoint moves to another branch, which leaves the compute idle; connections drop.
 * - `stop`: `true` stops the compute; connections drop.
 * - `update`: an update in place; connections stay.
 * - `none`: nothing at the service.
 */
export type ChangeEffect = 'replace' | 'restart' | 'move' | 'stop' | 'update' | 'none';

/** Every argument: what its change does (docs/service.md, "What a change does"), and how it is read and written. */
export const endpointArguments = new ArgumentTable<
  EndpointInputs,
  Endpoint,
  EndpointAttributes,
  ChangeEffect
>({
  projectId: { effect: 'replace', read: ({ project_id }) => project_id },
  branchId: { effect: 'move', attribute: 'branch_id' },
  type: { effect: 'replace', attribute: 'type' },
  regionId: { effect: 'replace', attribute: 'region_id' },
  provisioner: { effect: 'replace', attribute: 'provisioner' },
  name: { effect: 'update', attribute: 'name' },
  autoscalingLimitMinCu: { effect: 'restart', attribute: 'autoscaling_limit_min_cu' },
  autoscalingLimitMaxCu: { effect: 'restart', attribute: 'autoscaling_limit_max_cu' },
  suspendTimeoutSeconds: { effect: 'update', attribute: 'suspend_timeout_seconds', whenRemoved: 0 },
  poolerEnabled: { effect: 'update', attribute: 'pooler_enabled', whenRemoved: false },
  poolerMode: { effect: 'update', attribute: 'pooler_mode' },
  pgSettings: {
    effect: 'update',
    read: ({ settings }) => settings.pg_settings ?? {},
    write: (pg_settings) => ({ settings: { pg_settings } }),
    // Settings that the service adds are no drift.
    matches: (desired, reported) => isMatch(reported, desired),
    whenRemoved: {},
  },
  preloadLibraries: {
    effect: 'restart',
    read: ({ settings: { preload_libraries: libraries } }) => ({
      useDefaults: libraries?.use_defaults ?? true,
      enabledLibraries: libraries?.enabled_libraries ?? [],
    }),
    write: ({ useDefaults = true, enabledLibraries = [] }) => ({
      settings: { preload_libraries: { use_defaults: useDefaults, enabled_libraries: enabledLibraries } },
    }),
    equals: isSameLibraries,
    whenRemoved: { useDefaults: true, enabledLibraries: [] },
  },
  disabled: { effect: 'stop', attribute: 'disabled', whenRemoved: false },
  passwordlessAccess: { effect: 'update', attribute: 'passwordless_access' },
  // The service does not know them; a change requests one restart.
  restartTriggers: { effect: 'restart', whenRemoved: {} },
  adopt: { effect: 'none' },
  allowRestart: { effect: 'none' },
  allowUnlistedSize: { effect: 'none' },
  waitForOperations: { effect: 'none' },
});
