import { intersection, pickBy, union } from 'lodash';
import { argumentNames } from '../endpoint/argument-effects';
import { describeSizeRange } from '../endpoint/compute-size';
import { findGiven } from '../endpoint/endpoint-changes';
import type { UncheckedDeclaration } from '../endpoint/endpoint-check';
import { type EndpointInputs, type InputName, isUnknown, unknownValue } from '../endpoint/endpoint-inputs';
import { type EndpointOutputs, type PriorState, pickOutputs } from '../endpoint/endpoint-state';
import { keepProperties } from '../endpoint/kept-properties';
import {
  type Declaration,
  type IdentityInputs,
  type Resource,
  readIdentity,
  writeIdentity,
} from '../endpoint/resource-identity';
import { findSecretOutputs } from '../endpoint/secret-outputs';
import { markSecrets } from '../engine/secret-marks';
import type { Timeouts } from './timeouts';

// The engine passes a dynamic provider one flat map of properties and nothing else. What the provider needs besides the
// arguments travels in inputs whose names begin with two underscores.

/** The inputs that the core does not know. */
interface HiddenInputs extends IdentityInputs {
  readonly __provider?: string | undefined;
  readonly __urn?: string | undefined;
  /** The engine strips the marks of secrets, so the program names them. */
  readonly __secrets?: readonly string[] | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Describes the size, derived in check: a plain preview shows its change, which marks a restart. */
  readonly restartOnChange?: string | undefined;
}

/** The inputs as the engine stores them. */
export type StoredInputs = EndpointInputs & HiddenInputs;

/** The outputs as the engine stores them. */
export type StoredOutputs = EndpointOutputs &
  HiddenInputs & {
    /** The arguments that the program gives; the others are as the service reports them. */
    readonly __declared?: readonly InputName[];
  };

/** The inputs that are stored as they come. */
export type PassedInputs = Pick<HiddenInputs, '__provider' | 'timeouts'>;

/** What the program gives, out of the inputs that the engine passes. */
export function readDeclaration(stored: object): UncheckedDeclaration {
  const isArgument = (name: string) =>
    !name.startsWith('__') && name !== 'restartOnChange' && name !== 'timeouts';
  return { resource: readResource(stored), inputs: keepProperties(stored, isArgument) };
}

/** The same, of inputs that have passed the check. */
export function readChecked(stored: StoredInputs): Declaration {
  const { resource, inputs } = readDeclaration(stored);
  return { resource, inputs: inputs as unknown as EndpointInputs };
}

/** What is in state. */
export function readState(stored: StoredOutputs): PriorState {
  // A resource that is only looked up (`ComputeEndpoint.get`) declares nothing but where it is.
  const declared = new Set<string>(stored.__declared ?? ['projectId']);
  const inputs = keepProperties(stored, (name) => declared.has(name) && name !== 'timeouts');
  return {
    resource: readResource(stored),
    inputs: inputs as unknown as EndpointInputs, // As written.
    outputs: pickOutputs(stored),
  };
}

function readResource(stored: object): Resource {
  const { __urn, __secrets } = stored as HiddenInputs; // As written.
  return { urn: __urn, ...readIdentity(stored), secretNames: Array.isArray(__secrets) ? __secrets : [] };
}

/** The inputs for the engine to store. */
export function writeInputs({ resource, inputs }: Declaration, passed: PassedInputs = {}): StoredInputs {
  const hidden = {
    __urn: resource.urn,
    __provider: passed.__provider,
    timeouts: passed.timeouts ?? undefined,
    ...writeIdentity(resource),
    __secrets: resource.secretNames?.length ? resource.secretNames : undefined,
    restartOnChange: describeSize({ resource, inputs }),
  };
  return { ...inputs, ...pickBy(hidden, (value) => value !== undefined) };
}

/** The outputs for the engine to store. */
export function writeOutputs(
  declaration: Declaration,
  outputs: EndpointOutputs,
  passed?: PassedInputs,
  before?: PriorState,
): StoredOutputs {
  const { resource, inputs } = declaration;
  const secretNames = findSecretOutputs(declaration, outputs, before);
  // The engine itself marks the outputs whose inputs it has marked.
  const isMarkedHere = (name: string) =>
    !resource.secretNames?.includes(name) || inputs[name as InputName] === undefined;
  const named = union(resource.secretNames, intersection(argumentNames, secretNames));
  const stored = writeInputs({ resource: { ...resource, secretNames: named }, inputs }, passed);
  const written = { ...stored, ...outputs, __declared: findGiven(inputs) };
  return markSecrets(written, secretNames.filter(isMarkedHere));
}

/**
 * Absent if the program sets no size or marks it as a secret. The engine encrypts secrets by property name and would not
 * encrypt this copy, so it is built from the sizes only.
 */
function describeSize({ resource: { secretNames = [] }, inputs }: Declaration): string | undefined {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = inputs;
  if (secretNames.some((name) => name.startsWith('autoscalingLimit'))) return undefined;
  if (isUnknown([minCu, maxCu])) return unknownValue;
  if (typeof minCu !== 'number' || typeof maxCu !== 'number') return undefined;
  return `size ${describeSizeRange(minCu, maxCu)}`;
}
