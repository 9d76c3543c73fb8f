import { intersection, isUndefined, omitBy, union } from 'lodash';
import { markSecrets } from '../engine/secret-marks';
import {
  type Declared,
  type IdentityInputs,
  keepProperties,
  type Properties,
  type Resource,
  readIdentity,
  type UncheckedDeclaration,
  writeIdentity,
} from '../lifecycle/resource-identity';
import type { Prior, Unsettled } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { pickOutputs } from '../lifecycle/resource-type';
import { type Before, findSecretOutputs } from '../lifecycle/secrets';
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
}

/** The inputs as the engine stores them. */
export type StoredInputs = Properties & HiddenInputs;

/** The outputs as the engine stores them. */
export type StoredOutputs = Properties &
  HiddenInputs & {
    /** The arguments that the program gives; the others are as the service reports them. */
    readonly __declared?: readonly string[];
    /** After an update that failed: the engine stores its outputs, but keeps the inputs of before. */
    readonly __hasOldInputs?: true;
  };

/** The inputs that are stored as they come. */
export type PassedInputs = Pick<HiddenInputs, '__provider' | 'timeouts'>;

/** What the program gives, out of the inputs that the engine passes. */
export function readDeclaration(stored: object): UncheckedDeclaration {
  const isArgument = (name: string) =>
    !name.startsWith('__') && name !== 'restartOnChange' && name !== 'timeouts';
  return { resource: readResource(stored), inputs: keepProperties(stored, isArgument) };
}

/** What is in state. */
export function readState(
  type: ResourceType,
  stored: StoredOutputs,
): Prior<Properties, Properties & Unsettled> {
  // A resource that is only looked up (`ComputeEndpoint.get`) declares nothing but where it is.
  const declared = new Set<string>(stored.__declared ?? ['projectId']);
  const inputs = keepProperties(stored, (name) => declared.has(name) && name !== 'timeouts');
  return { resource: readResource(stored), inputs, outputs: pickOutputs(type, stored) };
}

function readResource(stored: object): Resource {
  const { __urn, __secrets } = stored as HiddenInputs; // As written.
  return { urn: __urn, ...readIdentity(stored), secretNames: Array.isArray(__secrets) ? __secrets : [] };
}

/** The inputs for the engine to store. */
export function writeInputs(
  type: ResourceType,
  { resource, inputs }: Declared<Properties>,
  passed: PassedInputs = {},
): StoredInputs {
  const stored = {
    ...inputs,
    __urn: resource.urn,
    __provider: passed.__provider,
    timeouts: passed.timeouts ?? undefined,
    ...writeIdentity(resource),
    __secrets: resource.secretNames?.length ? resource.secretNames : undefined,
    ...type.describeInputs?.({ resource, inputs }),
  };
  return omitBy(stored, isUndefined);
}

/** The outputs for the engine to store. */
export function writeOutputs(
  type: ResourceType,
  declaration: Declared<Properties>,
  outputs: Properties,
  passed?: PassedInputs,
  before?: Before,
): StoredOutputs {
  const { resource, inputs } = declaration;
  const secretNames = findSecretOutputs(type, declaration, outputs, before);
  // The engine itself marks the outputs whose inputs it has marked.
  const isMarkedHere = (name: string) => !resource.secretNames?.includes(name) || inputs[name] === undefined;
  const named = union(resource.secretNames, intersection(type.argumentNames, secretNames));
  // If a failed update has not applied an argument, no output has it, so the program's value is left out as well.
  const applied = keepProperties(inputs, (name) => name in outputs);
  const stored = writeInputs(
    type,
    { resource: { ...resource, secretNames: named }, inputs: applied },
    passed,
  );
  const __declared = type.argumentNames.filter((name) => inputs[name] !== undefined);
  return markSecrets({ ...stored, ...outputs, __declared }, secretNames.filter(isMarkedHere));
}
