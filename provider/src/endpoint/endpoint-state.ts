import type { Endpoint } from '../control-api/wire-types';
import type { Found, Wanted } from '../lifecycle/resource-lifecycle';
import { type Prior, schemaVersion, type Unsettled } from '../lifecycle/resource-state';
import { deriveSizeOutputs, type SizeOutputs } from './compute-size';
import { declareAmong } from './declared-endpoint';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';

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

/**
 * The outputs after a create, update or read. Nothing is undefined: the engine refuses undefined values.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs(endpoint: Endpoint, inputs: EndpointInputs, left: Unsettled = {}): EndpointOutputs {
  return {
    ...inputs,
    ...endpointArguments.read(endpoint, inputs),
    ...deriveSizeOutputs(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu),
    host: endpoint.host,
    poolerHost: toPoolerHost(endpoint),
    proxyHost: endpoint.proxy_host,
    ...left,
    __schemaVersion: schemaVersion,
  };
}

/** Pooled connections go to the same host with `-pooler` behind the endpoint's id (official API description). */
function toPoolerHost({ id, host }: Endpoint): string {
  return host.startsWith(id) ? `${id}-pooler${host.slice(id.length)}` : host;
}

/** The endpoint as a refresh finds it, or as an import declares it. @param all the endpoints of the project */
export function toFound(
  endpoint: Endpoint,
  prior: PriorState,
  declared: Wanted,
  all: readonly Endpoint[],
): Found<EndpointInputs, EndpointOutputs> {
  if (declared === 'as found') {
    const inputs = declareAmong(all, endpoint);
    return { inputs, outputs: toOutputs(endpoint, inputs) };
  }
  const inputs = endpointArguments.withReported(endpoint, prior.inputs);
  const refresh = (known: EndpointInputs) => toOutputs(endpoint, known);
  return { inputs, outputs: endpointArguments.refresh(endpoint, inputs, prior.outputs, refresh) };
}
