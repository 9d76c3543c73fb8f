import type { Endpoint } from '../control-api/wire-types';
import { providerText, typeToken } from '../dynamic/provider-text';
import {
  type StoredInputs,
  type StoredOutputs,
  writeInputs,
  writeOutputs,
} from '../dynamic/stored-properties';
import { argumentNames, argumentTable } from '../endpoint/argument-effects';
import { findComputeSize } from '../endpoint/compute-size';
import { type EndpointInputs, type InputName, isSame } from '../endpoint/endpoint-inputs';
import { toOutputs } from '../endpoint/endpoint-state';

/** A resource in the file for `pulumi import --file`. */
export interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: StoredInputs;
  /** Given these, the engine stores the state as it is, without a read. */
  readonly outputs: StoredOutputs;
}

/** The service's defaults, which a program need not declare. */
const usualValues: Partial<Record<InputName, unknown>> = {
  suspendTimeoutSeconds: 0,
  poolerEnabled: false,
  poolerMode: 'transaction',
  pgSettings: {},
  disabled: false,
  passwordlessAccess: true,
};

/** Chosen by the service. If a program declared them, a later change would replace the endpoint. */
const leftToService: ReadonlySet<InputName> = new Set(['regionId', 'provisioner']);

/** The minimal arguments that declare the endpoint as it is. */
export function declareEndpoint(endpoint: Endpoint, isNameUnique: boolean): EndpointInputs {
  const { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu } = endpoint;
  const values = argumentNames.map((name) => [name, argumentTable[name].read?.(endpoint)] as const);
  const relevant = values.filter(([name, value]) => {
    if (value === undefined || leftToService.has(name)) return false;
    // The provider identifies an endpoint by its name, so a shared name can't be declared.
    if (name === 'name') return value !== '' && isNameUnique;
    return !isSame(value, usualValues[name]);
  });
  const hasUnlistedSize = !findComputeSize(minCu) || !findComputeSize(maxCu);
  // The table reads each value under its own name, and every required one exists.
  return {
    ...Object.fromEntries(relevant),
    ...(hasUnlistedSize && { allowUnlistedSize: true }),
  } as EndpointInputs;
}

/** The resource as the state would hold it if a program with this declaration had created the endpoint. */
export function toImportedResource(
  endpoint: Endpoint,
  name: string,
  declared: EndpointInputs,
): ImportedResource {
  // Only the stack that imports it knows the URN. The next `pulumi up` adds it.
  const declaration = { resource: {}, inputs: declared };
  const inputs = writeInputs(declaration, providerText);
  const outputs = writeOutputs(declaration, toOutputs(endpoint, declared), providerText);
  return { type: typeToken, name, id: endpoint.id, inputs, outputs };
}
