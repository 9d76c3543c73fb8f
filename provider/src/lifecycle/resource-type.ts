import type { Kind } from '../operations/service-project';
import type { InputFailure } from './input-values';
import { type Declared, keepProperties, type Properties } from './resource-identity';
import type { Prior, Unsettled } from './resource-state';

/** What the general parts of the provider need to know of a type of resource. */
export interface ResourceType {
  readonly kind: Kind;
  /** How to name one to import or look up, with an example. */
  readonly path: string;
  /** Whether the id in state is that path. A last part may contain slashes. @default false: it is the part after the project */
  readonly idIsPath?: boolean;
  readonly argumentNames: readonly string[];
  /** The arguments whose change replaces the resource. */
  readonly replacingArguments: readonly string[];
  readonly outputNames: ReadonlySet<string>;
  /** The outputs that are always secret. @default none */
  readonly secretOutputs?: readonly string[];
  /** The arguments within which a name is unique. */
  readonly namesWithin: readonly string[];
  /** The outputs that follow from an argument. @default none */
  readonly derivedOutputs?: Readonly<Record<string, readonly string[]>>;
  /** @param before the inputs in state; undefined for a create */
  findInputFailures(given: Properties, before?: Properties): readonly InputFailure[];
  /** Texts that the dynamic provider stores as further inputs, so that a plain preview shows their change. @default none */
  describeInputs?(declaration: Declared<Properties>): Properties;
  /** What a preview knows of the outputs of a new resource. */
  previewCreate(inputs: Properties): object;
  /** What a preview knows of the outputs after an update: what does not change stays known. */
  previewUpdate(prior: Prior<Properties, Properties>, inputs: Properties): object;
}

/** The outputs among stored properties, which either provider may have written. */
export function pickOutputs({ outputNames }: ResourceType, stored: object): Properties & Unsettled {
  return keepProperties(stored, (name) => outputNames.has(name));
}
