import { groupBy, isPlainObject, mapValues, omit, sortBy, takeWhile } from 'lodash';
import type { ReadProperties } from '../../../../provider/src/plugin/properties';
import type { ResourceType, StackState, StoredResource } from '../stack';
import type { RecordedCall } from './record-calls';

export const project = 'agreement';
export const stackName = 'test';

export function urnOf(name: string, type: ResourceType = 'ComputeEndpoint'): string {
  return `urn:pulumi:${stackName}::${project}::postgres-compute:index:${type}::${name}`;
}

/** What one command did, and the state that it left. */
export interface RecordedStep extends StackState {
  readonly isSuccess: boolean;
  readonly calls: readonly RecordedCall[];
}

/** The same, by name of the resource, because parallel ones run in any order, and without what differs from run to run. */
export interface StepTranscript {
  readonly isSuccess: boolean;
  readonly calls: Readonly<Record<string, readonly RecordedCall[]>>;
  /** A replacement can leave two of one name. */
  readonly state: Readonly<Record<string, readonly StoredResource[]>>;
  readonly pending: readonly string[];
}

export class Transcriber {
  readonly #idNames: ReadonlyMap<string, string>;
  /** The ids seen so far, for each resource. */
  readonly #seen = new Map<string, Map<string, string>>();

  /** @param idNames what to call the ids of projects and branches */
  constructor(idNames: ReadonlyMap<string, string>) {
    this.#idNames = idNames;
  }

  transcribe({ isSuccess, calls, resources, pending }: RecordedStep): StepTranscript {
    return {
      isSuccess,
      calls: mapValues(
        groupBy(calls, ({ args }) => nameOf(JSON.stringify(args))),
        (each, name) => sortRefreshed(this.#normalize(name, each)),
      ),
      state: mapValues(
        groupBy(resources, ({ urn }) => nameOf(urn)),
        (each, name) => this.#normalize(name, sortBy(each, 'isToDelete').map(hideSecrets)),
      ),
      pending: pending.map(({ urn, kind }) => `${kind} ${nameOf(urn)}`).sort(),
    };
  }

  /** Replaces ids, times and hashes, and sorts the names of properties. */
  #normalize<Value>(name: string, value: Value): Value {
    const seen = this.#seen.get(name) ?? new Map<string, string>();
    this.#seen.set(name, seen);
    let text = JSON.stringify(value, sortNames);
    for (const [id, idName] of this.#idNames) text = text.replaceAll(id, idName);
    text = text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/(?:ep|br)-[a-z]+-[a-z]+-\d{8}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        if (!seen.has(id)) seen.set(id, `<id ${seen.size + 1}>`);
        return seen.get(id) ?? id;
      })
      // Of derived names, and of `__replaces`.
      .replace(/(?<=-)[0-9a-f]{8}(?=(-creating)?")|(?<=")[0-9a-f]{16}(?=")/g, '<hash>');
    return JSON.parse(text);
  }
}

/** The name in the first URN of the text. */
export function nameOf(text: string): string {
  return /:(?:ComputeEndpoint|Branch|Role|Database)::(\w+)/.exec(text)?.[1] ?? text;
}

/** A refresh, which comes first, reads what a replacement has left beside its successor, in any order. */
function sortRefreshed(calls: readonly RecordedCall[]): RecordedCall[] {
  const refreshed = takeWhile(calls, ({ call }) => call === 'read' || call === 'diff');
  return [...sortBy(refreshed, ({ args: [id] }) => id), ...calls.slice(refreshed.length)];
}

/** A state file has secrets encrypted; the calls show their values. */
function hideSecrets(resource: StoredResource): StoredResource {
  const hide = ({ values, secretNames }: ReadProperties): ReadProperties => ({
    secretNames,
    values: { ...values, ...Object.fromEntries(secretNames.map((name) => [name, '<secret>'])) },
  });
  return {
    ...omit(resource, 'references', 'dependsOn'),
    retainOnDelete: resource.retainOnDelete === true,
    inputs: hide(resource.inputs),
    outputs: hide(resource.outputs),
  };
}

function sortNames(name: string, value: unknown): unknown {
  if (name === 'secretNames' && Array.isArray(value)) return [...value].sort();
  return isPlainObject(value) ? Object.fromEntries(sortBy(Object.entries(value as object), '0')) : value;
}
