import { omit, pick } from 'lodash';
import type { Endpoint, Operation } from '../control-api/wire-types';
import { outcomeOf } from '../operations/operation-outcome';
import { argumentNames, argumentTable } from './argument-effects';
import { deriveSizeOutputs, type SizeOutputs } from './compute-size';
import { readAttributes } from './drift';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import { keepProperties } from './kept-properties';
import type { Resource } from './resource-identity';

/** The version of the shape of the outputs, so that a later release can read what this one wrote. */
export const schemaVersion = 1;

/** An operation of this endpoint that has not succeeded, kept in state until it has. */
export interface UnsettledOperation {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** Such as `start_compute`. */
  readonly action: string;
  /** As the service reported it when the last `pulumi up` ended, such as `running` or `failed`. */
  readonly status: string;
}

/** The outputs in state: each argument as the service reports it, what follows from it, and what is unfinished or failed. */
export type EndpointOutputs = EndpointInputs &
  SizeOutputs & {
    readonly host: string;
    readonly poolerHost: string;
    readonly proxyHost: string;
    readonly unsettledOperations?: readonly UnsettledOperation[];
    /** The arguments whose change was requested, but whose operation failed or was not waited for. */
    readonly __unapplied?: readonly InputName[];
    readonly __schemaVersion: number;
  };

/** The outputs that are no arguments. */
const furtherOutputs: Record<Exclude<keyof EndpointOutputs, InputName>, true> = {
  minSize: true,
  maxSize: true,
  maxConnections: true,
  pooledMaxConnections: true,
  host: true,
  poolerHost: true,
  proxyHost: true,
  unsettledOperations: true,
  __unapplied: true,
  __schemaVersion: true,
};

const outputNames = new Set<string>([...argumentNames, ...Object.keys(furtherOutputs)]);

/** The outputs among stored properties, which either provider may have written. */
export function pickOutputs(stored: object): EndpointOutputs {
  return keepProperties(stored, (name) => outputNames.has(name)) as unknown as EndpointOutputs; // As written.
}

/** A resource in state: the arguments that the program gave, and the outputs. */
export interface PriorState {
  readonly resource: Resource;
  /** Where a refresh has found drift, the values that it found. */
  readonly inputs: EndpointInputs;
  readonly outputs: EndpointOutputs;
}

/** The outputs that exist only while something is unfinished or failed. */
export const unsettledOutputs = ['unsettledOperations', '__unapplied'] as const;

/** The arguments of which the service knows nothing. All of them are optional. */
const unreported = argumentNames.filter((name) => !argumentTable[name].read);
const keptByRefresh = new Set<string>([...unreported, ...unsettledOutputs]);

/** Whether an earlier run has left something for the next one to resume. */
export function isUnsettled(outputs: EndpointOutputs): boolean {
  return unsettledOutputs.some((name) => outputs[name] !== undefined);
}

/** The outputs after a create, update or read. Nothing is undefined: the engine refuses undefined values. */
export function toOutputs(
  endpoint: Endpoint,
  inputs: EndpointInputs,
  operations: readonly Operation[] = [],
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
  operations: readonly Operation[],
  unapplied: readonly InputName[],
): EndpointOutputs {
  const reported = omit(before, unreported, unsettledOutputs) as EndpointOutputs; // Only optional ones are left out.
  return { ...reported, ...pick(inputs, unreported), ...toUnsettled(operations, unapplied) };
}

/**
 * The outputs after a refresh: what the service reports, and of what it does not know, what was in the outputs. The inputs
 * don't tell: after a failed update the engine stores the old ones.
 */
export function toRefreshedOutputs(
  endpoint: Endpoint,
  inputs: EndpointInputs,
  before: EndpointOutputs,
): EndpointOutputs {
  const isKept = (name: string) => keptByRefresh.has(name);
  const reported = keepProperties(toOutputs(endpoint, inputs), (name) => !isKept(name));
  return { ...reported, ...keepProperties(before, isKept) } as unknown as EndpointOutputs; // Each name once, from one of both.
}

function toUnsettled(operations: readonly Operation[], unapplied: readonly InputName[]) {
  const unsettled = operations.filter((operation) => outcomeOf(operation) !== 'succeeded');
  return {
    ...(unsettled.length > 0 && {
      unsettledOperations: unsettled.map(({ id, action, status }) => ({ id, action, status })),
    }),
    ...(unapplied.length > 0 && { __unapplied: unapplied }),
  };
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
