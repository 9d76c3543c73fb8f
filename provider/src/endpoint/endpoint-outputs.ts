import { isString, isUndefined, mapValues, omit, omitBy, pick } from 'lodash';
import type { Endpoint, EndpointAttributes, Operation } from '../control-api/wire-types';
import { outcomeOf } from '../operations/operation-outcome';
import { argumentNames, argumentTable, replacingArguments } from './argument-table';
import { deriveSizeOutputs, type SizeOutputs } from './compute-size';
import {
  describeSizeInput,
  type EndpointInputs,
  hiddenInputs,
  type InputName,
  isSame,
  isUnknown,
} from './endpoint-inputs';
import { deriveEndpointName } from './endpoint-name';

/** The version of the shape of the outputs, so that a later release can read what this one wrote. */
export const schemaVersion = 1;

/** The name that these inputs get when the program gives none. */
export function deriveInputName(inputs: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof inputs.__urn !== 'string') return undefined;
  const { __urn: urn, __organization: organization, __replaces: replaces } = inputs;
  return deriveEndpointName(
    { urn, ...(isString(organization) && { organization }), ...(isString(replaces) && { replaces }) },
    replacingArguments.map((name) => inputs[name] ?? null),
  );
}

/** An operation of this endpoint that has not succeeded, kept in state until it is settled. */
export interface UnsettledOperation {
  readonly id: string;
  /** Such as `start_compute`. */
  readonly action: string;
  /** As the service put it when the last `pulumi up` ended, such as `running` or `failed`. */
  readonly status: string;
}

/** The outputs in state: each argument as the service holds it, what follows from it, and what is unsettled. */
export type EndpointOutputs = EndpointInputs &
  SizeOutputs & {
    readonly host: string;
    readonly poolerHost: string;
    readonly proxyHost: string;
    readonly unsettledOperations?: readonly UnsettledOperation[];
    /** The arguments whose change was asked for, but whose operation failed or was not waited for. */
    readonly __unapplied?: readonly InputName[];
    /** The arguments that the program gives; the others are as the service set them. */
    readonly __declared?: readonly InputName[];
    readonly __schemaVersion: number;
  };

/** The outputs that are there only while something is left to take up. */
export const unsettledOutputs = ['unsettledOperations', '__unapplied'] as const;

/** Whether an earlier run has left something that the next one has to take up. */
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
  const unsettled = operations.filter((operation) => outcomeOf(operation) !== 'succeeded');
  return {
    ...inputs,
    ...readAttributes(endpoint, inputs),
    ...deriveSizeOutputs(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu),
    host: endpoint.host,
    poolerHost: toPoolerHost(endpoint),
    proxyHost: endpoint.proxy_host,
    ...(unsettled.length > 0 && {
      unsettledOperations: unsettled.map(({ id, action, status }) => ({ id, action, status })),
    }),
    ...(unapplied.length > 0 && { __unapplied: unapplied }),
    __declared: findDeclared(inputs),
    __schemaVersion: schemaVersion,
  };
}

/** The inputs after a read: what the program had declared, with the values that the service holds now. */
export function toInputs(endpoint: Endpoint, outputs: EndpointOutputs): EndpointInputs {
  // A resource that is only looked up (`ComputeEndpoint.get`) declares nothing but where it is.
  const names = outputs.__declared ?? ['projectId'];
  const declared = pick({ ...outputs, ...readAttributes(endpoint, pick(outputs, names)) }, names);
  const kept = pick(outputs, hiddenInputs);
  const restartOnChange = describeSizeInput(declared);
  // What `pick` returns is not known to hold the required arguments; every program declares them.
  return { ...declared, ...kept, ...(restartOnChange && { restartOnChange }) } as EndpointInputs;
}

/** How a secret is written in what a provider returns; the host strips the marks, and has no way to set them. */
const secretSignature = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' };

/** The names of the arguments that the program marks as secrets. */
export function toSecretNames({ __secrets }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(__secrets) ? __secrets : [];
}

/**
 * The inputs with the named ones marked as secrets. The engine itself marks what the program gives, or what was secret in
 * the old inputs; after an update that failed, these are older than the outputs.
 */
export function markSecrets(inputs: EndpointInputs, names: readonly unknown[]): EndpointOutputs {
  const mark = (value: unknown, name: string) =>
    names.includes(name) ? { ...secretSignature, value } : value;
  // The host's types know no marks, and take the outputs of a read for its inputs.
  return mapValues(inputs, mark) as unknown as EndpointOutputs;
}

/** What the service holds; where that is what is desired, in the words of the program. */
function readAttributes(endpoint: Endpoint, desired: Partial<EndpointInputs>): Partial<EndpointInputs> {
  const values = argumentNames.map((name) => {
    const reported = argumentTable[name].read?.(endpoint);
    return [name, isMatch(name, desired[name], reported) ? desired[name] : reported];
  });
  return omitBy(Object.fromEntries(values), isUndefined);
}

function isMatch(name: InputName, desired: unknown, reported: unknown): boolean {
  if (desired === undefined || reported === undefined) return false;
  const matches = argumentTable[name].matches ?? isSame;
  // The table pairs each name with a comparison of its own type, which a look-up by name can't show.
  return (matches as (left: unknown, right: unknown) => boolean)(desired, reported);
}

/** Pooled connections go to the same host with `-pooler` behind the endpoint's id (official API description). */
function toPoolerHost({ id, host }: Endpoint): string {
  return host.startsWith(id) ? `${id}-pooler${host.slice(id.length)}` : host;
}

/** The arguments in which the wanted inputs differ from the outputs in state, unknown values included. */
export function findChanges(outputs: EndpointOutputs, wanted: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => isChanged(name, outputs, wanted));
}

function isChanged(name: InputName, outputs: EndpointOutputs, wanted: EndpointInputs): boolean {
  const value = wanted[name];
  if (value !== undefined) return isUnknown(value) || !isSame(value, outputs[name]);
  const { effect, whenRemoved } = argumentTable[name];
  if (!outputs.__declared?.includes(name)) return false;
  if (effect === 'none') return true;
  return whenRemoved !== undefined && !isSame(whenRemoved, outputs[name]);
}

/** The attributes of a create: everything that is declared. */
export function toCreateAttributes(inputs: EndpointInputs): EndpointAttributes {
  return toAttributes(findDeclared(inputs), inputs);
}

/** The attributes of an update: the named ones and no others. */
export function toAttributes(names: readonly InputName[], inputs: EndpointInputs): EndpointAttributes {
  const parts = names.map((name) => {
    const { write, whenRemoved } = argumentTable[name];
    // The table pairs each name with a writer of its own type, which a look-up by name can't show.
    return (
      (write as ((value: unknown) => EndpointAttributes) | undefined)?.(inputs[name] ?? whenRemoved) ?? {}
    );
  });
  return Object.assign({}, ...parts);
}

/** The declared arguments that the service holds otherwise than declared: what has not come to pass. */
export function findDeviations(endpoint: Endpoint, inputs: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => inputs[name] !== undefined && !isAsWanted(endpoint, inputs, name));
}

/** The arguments that the program leaves out, and that an earlier program has left at the endpoint. */
export function findLeftovers(endpoint: Endpoint, inputs: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => {
    const { read, whenRemoved } = argumentTable[name];
    const isLeftOut = inputs[name] === undefined && read !== undefined && whenRemoved !== undefined;
    return isLeftOut && !isSame(read(endpoint), whenRemoved);
  });
}

/** Whether the service holds the argument as the program wants it, given or given no longer. */
export function isAsWanted(endpoint: Endpoint, inputs: EndpointInputs, name: InputName): boolean {
  const { read, whenRemoved } = argumentTable[name];
  const wanted = inputs[name] ?? whenRemoved;
  return read === undefined || wanted === undefined || isMatch(name, wanted, read(endpoint));
}

/** The outputs after a change of nothing but the provider's own settings, which the service knows nothing of. */
export function withSettings(outputs: EndpointOutputs, inputs: EndpointInputs): EndpointOutputs {
  const settings = argumentNames.filter((name) => argumentTable[name].effect === 'none');
  return {
    ...(omit(outputs, settings, hiddenInputs, 'restartOnChange') as EndpointOutputs), // The settings are optional; `omit` does not say so.
    ...inputs,
    __declared: findDeclared(inputs),
  };
}

function findDeclared(inputs: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => inputs[name] !== undefined);
}
