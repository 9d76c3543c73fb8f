import { omit, pick } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import { keepProperties } from '../lifecycle/kept-properties';
import { type Prior, schemaVersion, type Unsettled, unsettledOutputs } from '../lifecycle/resource-state';
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
    readonly __schemaVersion: number;
  } & Unsettled;

/** An endpoint in state. */
export type PriorState = Prior<EndpointInputs, EndpointOutputs>;

/** The arguments of which the service knows nothing. All of them are optional. */
const unreported = argumentNames.filter((name) => !argumentTable[name].read);
const keptByRefresh = new Set<string>([...unreported, ...unsettledOutputs]);

/**
 * The outputs after a create, update or read. Nothing is undefined: the engine refuses undefined values.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs(endpoint: Endpoint, inputs: EndpointInputs, left: Unsettled = {}): EndpointOutputs {
  return {
    ...inputs,
    ...readAttributes(endpoint, inputs),
    ...deriveSizeOutputs(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu),
    host: endpoint.host,
    poolerHost: toPoolerHost(endpoint),
    proxyHost: endpoint.proxy_host,
    ...left,
    __schemaVersion: schemaVersion,
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
  const due = before.__ledger?.due ?? before.__unapplied ?? [];
  // After an unfinished update the service may hold settings that the inputs do not give, or still those that they no longer give.
  const isAsBefore = (name: InputName) =>
    due.includes(name)
      ? isReported(endpoint, before, name)
      : known[name] !== undefined && matchesDesired(endpoint, before, name);
  const unchanged = argumentNames.filter((name) => before[name] !== undefined && isAsBefore(name));
  const kept = keepProperties(before, isKept);
  return { ...toOutputs(endpoint, known), ...pick(before, unchanged), ...kept };
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
