import type { Endpoint, EndpointAttributes } from '../control-api/wire-types';
import type { EndpointInputs, InputName } from './endpoint-inputs';
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

interface Argument {
  readonly effect: ChangeEffect;
  /** Reads the attribute from a response; absent for arguments that the service does not know. */
  readonly read?: (endpoint: Endpoint) => unknown;
  /** Writes the attribute into a request. */
  readonly write?: (value: never) => EndpointAttributes;
  /** Whether the reported value is the desired one, if plain equality does not show it. */
  readonly matches?: (desired: never, reported: never) => boolean;
  /** Sent when the program no longer gives the argument; absent: the endpoint keeps its value. */
  readonly whenRemoved?: unknown;
}

function argument<Name extends InputName>(definition: {
  effect: ChangeEffect;
  read: (endpoint: Endpoint) => EndpointInputs[Name];
  write: (value: NonNullable<EndpointInputs[Name]>) => EndpointAttributes;
  matches?: (
    desired: NonNullable<EndpointInputs[Name]>,
    reported: NonNullable<EndpointInputs[Name]>,
  ) => boolean;
  whenRemoved?: NonNullable<EndpointInputs[Name]>;
}): Argument {
  return definition;
}

/** Every argument: what its change does (docs/service.md, "What a change does"), and how it is read and written. */
export const argumentTable: Readonly<Record<InputName, Argument>> = {
  projectId: { effect: 'replace', read: (endpoint) => endpoint.project_id },
  branchId: argument<'branchId'>({
    effect: 'move',
    read: (endpoint) => endpoint.branch_id,
    write: (branch_id) => ({ branch_id }),
  }),
  type: { effect: 'replace', read: (endpoint) => endpoint.type, write: (type: string) => ({ type }) },
  regionId: argument<'regionId'>({
    effect: 'replace',
    read: (endpoint) => endpoint.region_id,
    write: (region_id) => ({ region_id }),
  }),
  provisioner: argument<'provisioner'>({
    effect: 'replace',
    read: (endpoint) => endpoint.provisioner,
    write: (provisioner) => ({ provisioner }),
  }),
  name: argument<'name'>({
    effect: 'update',
    read: (endpoint) => endpoint.name,
    write: (name) => ({ name }),
  }),
  autoscalingLimitMinCu: argument<'autoscalingLimitMinCu'>({
    effect: 'restart',
    read: (endpoint) => endpoint.autoscaling_limit_min_cu,
    write: (autoscaling_limit_min_cu) => ({ autoscaling_limit_min_cu }),
  }),
  autoscalingLimitMaxCu: argument<'autoscalingLimitMaxCu'>({
    effect: 'restart',
    read: (endpoint) => endpoint.autoscaling_limit_max_cu,
    write: (autoscaling_limit_max_cu) => ({ autoscaling_limit_max_cu }),
  }),
  suspendTimeoutSeconds: argument<'suspendTimeoutSeconds'>({
    effect: 'update',
    read: (endpoint) => endpoint.suspend_timeout_seconds,
    write: (suspend_timeout_seconds) => ({ suspend_timeout_seconds }),
    whenRemoved: 0,
  }),
  poolerEnabled: argument<'poolerEnabled'>({
    effect: 'update',
    read: (endpoint) => endpoint.pooler_enabled,
    write: (pooler_enabled) => ({ pooler_enabled }),
    whenRemoved: false,
  }),
  poolerMode: argument<'poolerMode'>({
    effect: 'update',
    read: (endpoint) => endpoint.pooler_mode,
    write: (pooler_mode) => ({ pooler_mode }),
  }),
  pgSettings: argument<'pgSettings'>({
    effect: 'update',
    read: (endpoint) => endpoint.settings.pg_settings ?? {},
    write: (pg_settings) => ({ settings: { pg_settings } }),
    matches: isSameSettings,
    whenRemoved: {},
  }),
  disabled: argument<'disabled'>({
    effect: 'stop',
    read: (endpoint) => endpoint.disabled,
    write: (disabled) => ({ disabled }),
    whenRemoved: false,
  }),
  passwordlessAccess: argument<'passwordlessAccess'>({
    effect: 'update',
    read: (endpoint) => endpoint.passwordless_access,
    write: (passwordless_access) => ({ passwordless_access }),
  }),
  // The service does not know them; a change requests one restart.
  restartTriggers: { effect: 'restart', whenRemoved: {} },
  adopt: { effect: 'none' },
  allowRestart: { effect: 'none' },
  allowUnlistedSize: { effect: 'none' },
  waitForOperations: { effect: 'none' },
};

export const argumentNames = Object.keys(argumentTable) as InputName[]; // Object.keys forgets the names of its argument.

export function isArgument(name: string): name is InputName {
  return Object.hasOwn(argumentTable, name);
}

/** Whether the service gets the default when the program no longer gives the argument. */
export function isResettable(name: string): boolean {
  if (!isArgument(name)) return false;
  const { read, whenRemoved } = argumentTable[name];
  return read !== undefined && whenRemoved !== undefined;
}

/** The arguments whose change replaces the endpoint. */
export const replacingArguments = argumentNames.filter((name) => argumentTable[name].effect === 'replace');
