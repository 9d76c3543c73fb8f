import { omit, pick, union } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import { keepProperties } from '../lifecycle/kept-properties';
import {
  isSuspension,
  type Prior,
  schemaVersion,
  toUnsettled,
  type Unsettled,
  type UnsettledOperation,
  unsettledOutputs,
} from '../lifecycle/resource-state';
import { argumentNames, argumentTable } from './argument-effects';
import { deriveSizeOutputs, type SizeOutputs } from './compute-size';
import { isReported, matchesDesired, readAttributes } from './drift';
import type { EndpointInputs, InputName } from './endpoint-inputs';

/** The outputs in state: each argument as the service reports it, what follows from it, and what is unfinished or failed. */
export type EndpointOutputs = EndpointInputs &
  SizeOutputs & {
    readonly host: string;
    readonly poolerHost: string;
    readonly proxyHost: string;
    readonly __unapplied?: readonly InputName[];
    readonly __schemaVersion: number;
  } & Unsettled;

/** An endpoint in state. */
export type PriorState = Prior<EndpointInputs, EndpointOutputs>;

/** The arguments of which the service knows nothing. All of them are optional. */
const unreported = argumentNames.filter((name) => !argumentTable[name].read);
const keptByRefresh = new Set<string>([...unreported, ...unsettledOutputs]);

/** The outputs after a create, update or read. Nothing is undefined: the engine refuses undefined values. */
export function toOutputs(
  endpoint: Endpoint,
  inputs: EndpointInputs,
  operations: readonly UnsettledOperation[] = [],
  unapplied: readonly InputName[] = [],
): EndpointOutputs {
  return {
    ...inputs,
    ...readAttributes(endpoint, inputs),
    ...deriveSizeOutputs(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu),
    host: endpoint.host,
    poolerHost: toPoolerHost(endpoint),
    proxyHost: endpoint.proxy_host,
    ...toUnsettled(operations, unapplied),
    __schemaVersion: schemaVersion,
  };
}

/**
 * The outputs after a change that may have been done, of an endpoint that can't be read: what the service had reported
 * before, and what the change may have left.
 */
export function toUnreadOutputs(
  before: EndpointOutputs,
  inputs: EndpointInputs,
  operations: readonly UnsettledOperation[],
  unapplied: readonly InputName[],
): EndpointOutputs {
  const reported = omit(before, unreported, unsettledOutputs) as EndpointOutputs; // Only optional ones are left out.
  return { ...reported, ...pick(inputs, unreported), ...toUnsettled(operations, unapplied) };
}

/**
 * The outputs after an update that has sent nothing: what the service reports, and what earlier runs have left.
 * @param due the arguments that the update was to send
 */
export function toUnchangedOutputs(
  endpoint: Endpoint,
  before: EndpointOutputs,
  operations: readonly UnsettledOperation[],
  due: readonly InputName[],
): EndpointOutputs {
  // A killed run may have set these, and its operations may fail: the next update sends them again, and looks for their operations.
  const overtaken = due.filter((name) => !isReported(endpoint, before, name));
  const known = omit(pick(before, argumentNames), overtaken) as EndpointInputs; // The service reports what is left out.
  return {
    ...toOutputs(endpoint, known),
    ...toUnsettled(operations, union(before.__unapplied, overtaken)),
  };
}

/**
 * The outputs after a refresh: what the service reports, and of what it does not know, what was in the outputs. Not from
 * the inputs: after a failed update the engine stores the old ones.
 */
export function toRefreshedOutputs(
  endpoint: Endpoint,
  inputs: EndpointInputs,
  before: EndpointOutputs,
): EndpointOutputs {
  const isKept = (name: string) => keptByRefresh.has(name);
  const known = keepProperties(inputs, (name) => !isKept(name)) as unknown as EndpointInputs; // Only optional ones are left out.
  // After an unfinished update the service may hold settings that the inputs do not give, or still those that they no longer give.
  const isAsBefore = (name: InputName) =>
    before.__unapplied?.includes(name)
      ? isReported(endpoint, before, name)
      : known[name] !== undefined && matchesDesired(endpoint, before, name);
  const unchanged = argumentNames.filter((name) => before[name] !== undefined && isAsBefore(name));
  const kept = keepProperties(before, isKept);
  const refreshed: EndpointOutputs = { ...toOutputs(endpoint, known), ...pick(before, unchanged), ...kept };
  const isSuspending = before.unsettledOperations?.some(isSuspension);
  if (!before.disabled || endpoint.disabled || !isSuspending) return refreshed;
  // Another client has taken a stop back, or the read is stale. The next update sends what the program says, and only a stop that the
  // program still declares is repeated if its suspension fails.
  return { ...refreshed, __unapplied: union<InputName>(before.__unapplied, ['disabled']) };
}

/** Pooled connections go to the same host with `-pooler` behind the endpoint's id (official API description). */
function toPoolerHost({ id, host }: Endpoint): string {
  return host.startsWith(id) ? `${id}-pooler${host.slice(id.length)}` : host;
}

/** The outputs after a change of nothing but the provider's own settings, of which the service knows nothing. */
export function withSettings(outputs: EndpointOutputs, inputs: EndpointInputs): EndpointOutputs {
  const settings = argumentNames.filter((name) => argumentTable[name].effect === 'none');
  return { ...(omit(outputs, settings) as EndpointOutputs), ...inputs }; // The settings are optional; `omit` does not say so.
}
