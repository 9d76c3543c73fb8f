import type { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { markSecrets, unmarkSecrets } from '../engine/secret-marks';
import type { Properties } from '../lifecycle/resource-identity';
// This replaces how every Struct of this process is read and written.
import { fromStruct, toStruct } from './plain-struct';

/** The values, and the names of those that the engine marks as secrets. */
export interface ReadProperties {
  readonly values: Properties;
  readonly secretNames: readonly string[];
}

export function readProperties(struct: Struct | undefined): ReadProperties {
  return unmarkSecrets(fromStruct(struct));
}

/** Properties to send back, and the names of the secrets among them. */
export interface WrittenProperties {
  readonly values: object;
  readonly secretNames?: readonly string[] | undefined;
}

/** The properties for the engine, without those that are undefined. */
export function writeProperties({ values, secretNames }: WrittenProperties): Struct {
  return toStruct(markSecrets({ ...values }, secretNames));
}
