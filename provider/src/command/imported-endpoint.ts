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
import { toOutputs } from '../endpoint/endpoint-outputs';

/** A resource of the file that `pulumi import --file` reads. */
export interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: StoredInputs;
  /** With these the engine stores the state as it is here, without a read. */
  readonly outputs: StoredOutputs;
}

/** What every endpoint has unless somebody wanted otherwise; a program need not say it. */
const usualValues: Partial<Record<InputName, unknown>> = {
  suspendTimeoutSeconds: 0,
  poolerEnabled: false,
  poolerMode: 'transaction',
  pgSettings: {},
  disabled: false,
  passwordlessAccess: true,
};

/** What the service chooses for an endpoint; declared, a later change of it would replace the endpoint. */
const leftToService: ReadonlySet<InputName> = new Set(['regionId', 'provisioner']);

/** The arguments by which a program declares the endpoint as it is, and no more of them than matter. */
export function declareEndpoint(endpoint: Endpoint, isNameUnique: boolean): EndpointInputs {
  const { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu } = endpoint;
  const values = argumentNames.map((name) => [name, argumentTable[name].read?.(endpoint)] as const);
  const mattering = values.filter(([name, value]) => {
    if (value === undefined || leftToService.has(name)) return false;
    // The provider takes a name for the mark of one endpoint, so a name of several can't be declared.
    if (name === 'name') return value !== '' && isNameUnique;
    return !isSame(value, usualValues[name]);
  });
  const hasUnlistedSize = !findComputeSize(minCu) || !findComputeSize(maxCu);
  // Every value was read as the table pairs it with its name, the required ones among them.
  return {
    ...Object.fromEntries(mattering),
    ...(hasUnlistedSize && { allowUnlistedSize: true }),
  } as EndpointInputs;
}

/** The endpoint as it would stand in state if a program that declares this had created it. */
export function toImportedResource(
  endpoint: Endpoint,
  name: string,
  declared: EndpointInputs,
): ImportedResource {
  // There is no URN: only the stack into which it is imported knows that. The next `pulumi up` adds it.
  const declaration = { resource: {}, inputs: declared };
  const inputs = writeInputs(declaration, providerText);
  const outputs = writeOutputs(declaration, toOutputs(endpoint, declared), providerText);
  return { type: typeToken, name, id: endpoint.id, inputs, outputs };
}
