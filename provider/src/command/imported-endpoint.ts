import type { Endpoint } from '../control-api/wire-types';
import { dynamicEndpoint } from '../dynamic/provider-text';
import {
  type StoredInputs,
  type StoredOutputs,
  writeInputs,
  writeOutputs,
} from '../dynamic/stored-properties';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { toOutputs } from '../endpoint/endpoint-state';
import { endpointType } from '../endpoint/endpoint-type';

/** A resource in the file for `pulumi import --file`. */
export interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: StoredInputs;
  /** Given these, the engine stores the state as it is, without a read. */
  readonly outputs: StoredOutputs;
}

/** The resource as the state would hold it if a program with this declaration had created the endpoint. */
export function toImportedResource(
  endpoint: Endpoint,
  name: string,
  declared: EndpointInputs,
): ImportedResource {
  // Only the stack that imports it knows the URN. The next `pulumi up` adds it.
  const declaration = { resource: {}, inputs: declared };
  const inputs = writeInputs(endpointType, declaration, { __provider: dynamicEndpoint.providerText });
  const outputs = writeOutputs(endpointType, declaration, toOutputs(endpoint, declared), {
    __provider: dynamicEndpoint.providerText,
  });
  return { type: dynamicEndpoint.token, name, id: endpoint.id, inputs, outputs };
}
