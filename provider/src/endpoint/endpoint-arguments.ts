import type { Endpoint, EndpointAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import type { EndpointInputs } from './endpoint-inputs';
import { isSameSettings } from './pg-settings';

/**
 * What a change of an argument does.
 * - `replace`: a new endpoint takes the place of the old one.
 * - `restart`: an active compute restarts, and its connections drop. The service restarts it for a change of either bound of
 *   the size (docs/service.md, "What a change does").
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
    matches: isSameSettings,
    whenRemoved: {},
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
