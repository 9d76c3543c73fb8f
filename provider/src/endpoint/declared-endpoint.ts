import { isEqual, pick } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import { findComputeSize } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs, InputName } from './endpoint-inputs';

/** The service's other defaults, which a program need not declare either. */
const usualValues: Partial<Record<InputName, unknown>> = {
  poolerMode: 'transaction',
  passwordlessAccess: true,
};

/** Chosen by the service. If a program declared them, a later change would replace the endpoint. */
const leftToService: ReadonlySet<InputName> = new Set(['regionId', 'provisioner']);

/** The minimal arguments that declare the endpoint as it is, among all of its project. */
export function declareAmong(all: readonly Endpoint[], endpoint: Endpoint): EndpointInputs {
  return declareEndpoint(
    endpoint,
    all.every(({ id, name }) => id === endpoint.id || name !== endpoint.name),
  );
}

/** The minimal arguments that declare the endpoint as it is. */
export function declareEndpoint(endpoint: Endpoint, isNameUnique: boolean): EndpointInputs {
  const { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu } = endpoint;
  const reported = endpointArguments.read(endpoint);
  const relevant = endpointArguments.findGiven(reported).filter((name) => {
    const value = reported[name];
    if (leftToService.has(name)) return false;
    // The provider identifies an endpoint by its name, so a shared name can't be declared.
    if (name === 'name') return value !== '' && isNameUnique;
    return !isEqual(value, usualValues[name] ?? endpointArguments.row(name).whenRemoved);
  });
  const hasUnlistedSize = !findComputeSize(minCu) || !findComputeSize(maxCu);
  // The table reads each value under its own name, and every required one exists.
  return {
    ...pick(reported, relevant),
    ...(hasUnlistedSize && { allowUnlistedSize: true }),
  } as EndpointInputs;
}
