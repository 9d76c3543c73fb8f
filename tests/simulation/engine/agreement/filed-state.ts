import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadProperties } from '../../../../provider/src/plugin/properties';
import type { PendingOperation, StackState, StoredResource } from '../stack';

/** A resource as a state file has it. */
interface FiledResource {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs?: object;
  readonly outputs?: object;
  readonly customTimeouts?: { readonly create?: number };
  readonly initErrors?: readonly string[];
  readonly taint?: boolean;
  readonly pendingReplacement?: boolean;
  readonly delete?: boolean;
  readonly retainOnDelete?: boolean;
}

export interface FiledState {
  readonly resources?: readonly FiledResource[];
  readonly pending_operations?: readonly { resource: FiledResource; type: PendingOperation['kind'] }[];
}

/** The state of a stack from its file, with the secrets encrypted. */
export async function readFiledState(
  backend: string,
  project: string,
  stackName: string,
): Promise<StackState> {
  const text = await readFile(filedStatePath(backend, project, stackName), 'utf8');
  const { checkpoint } = JSON.parse(text) as { checkpoint: { latest?: FiledState } };
  return toStackState(checkpoint.latest);
}

export function filedStatePath(backend: string, project: string, stackName: string): string {
  return join(backend, '.pulumi', 'stacks', project, `${stackName}.json`);
}

export function toStackState({
  resources = [],
  pending_operations: pending = [],
}: FiledState = {}): StackState {
  return {
    resources: resources.filter(({ type }) => /:(ComputeEndpoint|Branch)$/.test(type)).map(toStored),
    pending: pending.map(({ resource, type }) => ({ urn: resource.urn, kind: type })),
  };
}

function toStored(filed: FiledResource): StoredResource {
  return {
    urn: filed.urn,
    id: filed.id,
    inputs: toRead(filed.inputs),
    outputs: toRead(filed.outputs),
    timeoutSeconds: filed.customTimeouts?.create ?? 0,
    hasInitErrors: filed.initErrors !== undefined,
    isTainted: filed.taint === true,
    isPendingReplacement: filed.pendingReplacement === true,
    isToDelete: filed.delete === true,
    retainOnDelete: filed.retainOnDelete === true,
  };
}

/** Marks a secret in a state file. */
export const secretSignature = '4dabf18193072939515e22adb298388d';

function toRead(values: object = {}): ReadProperties {
  const secrets = Object.entries(values).filter(([, value]) =>
    JSON.stringify(value).includes(secretSignature),
  );
  return { values: decrypted({ ...values }), secretNames: secrets.map(([name]) => name) };
}

/** With the values of secrets in place of their marks, where the state was exported with them. */
function decrypted<Value>(values: Value): Value {
  return JSON.parse(JSON.stringify(values), (_key, value) =>
    typeof value?.plaintext === 'string' ? JSON.parse(value.plaintext) : value,
  );
}
