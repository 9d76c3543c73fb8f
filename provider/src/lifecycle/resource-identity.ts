import type { InputFailure } from './input-values';

/** What Pulumi knows of a resource besides its arguments. */
export interface Resource {
  /** Absent for a resource that was imported from a file and not updated since. */
  readonly urn?: string | undefined;
  /** The Pulumi organization; two of them may use the same names of project and stack. Absent: the default one. */
  readonly organization?: string | undefined;
  /** Whether the program sets the resource option `deleteBeforeReplace: false`. @default false */
  readonly createsBeforeDelete?: boolean | undefined;
  /** Whether the program sets the resource option `retainOnDelete`. The engine goes by what the state says. @default false */
  readonly retainsOnDelete?: boolean | undefined;
  /** If this resource is created before the one that it replaces is deleted: `hashName` of the old one's name. */
  readonly replaces?: string | undefined;
  /** The arguments that the program marks as secrets. */
  readonly secretNames?: readonly string[] | undefined;
}

/** An id and the resource's name in the program: `ep-1 (app)`. */
export function describeNamed(id: string, urn = ''): string {
  const name = urn.split('::').slice(3).join('::');
  return name === '' ? id : `${id} (${name})`;
}

/** The inputs, hidden from the program, that carry a part of the identity from one call of the engine to the next. */
export interface IdentityInputs {
  readonly __organization?: string | undefined;
  readonly __createsBeforeDelete?: boolean | undefined;
  readonly __retainsOnDelete?: boolean | undefined;
  readonly __replaces?: string | undefined;
}

export const identityInputs = [
  '__organization',
  '__createsBeforeDelete',
  '__retainsOnDelete',
  '__replaces',
] as const;

/** The part of the identity that travels in inputs. */
export function readIdentity(stored: object) {
  const inputs = stored as Properties; // Every object has properties by name.
  const textOf = (name: keyof IdentityInputs) => {
    const value = inputs[name];
    return typeof value === 'string' ? value : undefined;
  };
  const isSet = (name: keyof IdentityInputs) => inputs[name] === true || undefined;
  return {
    organization: textOf('__organization'),
    createsBeforeDelete: isSet('__createsBeforeDelete'),
    retainsOnDelete: isSet('__retainsOnDelete'),
    replaces: textOf('__replaces'),
  } satisfies Resource;
}

/** The inputs that carry it. */
export function writeIdentity(resource: Resource): IdentityInputs {
  return {
    __organization: resource.organization,
    __createsBeforeDelete: resource.createsBeforeDelete,
    __retainsOnDelete: resource.retainsOnDelete,
    __replaces: resource.replaces,
  };
}

/** A resource as the program declares it. */
export interface Declared<Inputs> {
  readonly resource: Resource;
  readonly inputs: Inputs;
}

/** Arguments or outputs by name, of any type of resource. */
export type Properties = Readonly<Record<string, unknown>>;

/** The properties that `isKept` accepts. */
export function keepProperties(properties: object, isKept: (name: string) => boolean): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name)));
}

/** What a program gives, before it is checked. */
export type UncheckedDeclaration = Declared<Properties>;

export interface CheckedDeclaration<Inputs> extends Declared<Inputs> {
  /** With what the check has added: what is replaced, and that the name is a secret. */
  readonly resource: Resource;
  /** With the resource's name. If there are failures, they may hold anything. */
  readonly inputs: Inputs;
  readonly failures: readonly InputFailure[];
}
