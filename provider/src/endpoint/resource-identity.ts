import type { EndpointInputs } from './endpoint-inputs';

/** What Pulumi knows of a resource besides its arguments. */
export interface Resource {
  /** Absent for an endpoint that was imported from a file and not updated since. */
  readonly urn?: string | undefined;
  /** The Pulumi organization; two of them may use the same names of project and stack. Absent: the default one. */
  readonly organization?: string | undefined;
  /** Whether the program sets the resource option `deleteBeforeReplace: false`. @default false */
  readonly createsBeforeDelete?: boolean | undefined;
  /** Stands for the name of the endpoint that this one replaces while it still exists: `hashName` of it. */
  readonly replaces?: string | undefined;
  /** The arguments that the program marks as secrets. */
  readonly secretNames?: readonly string[] | undefined;
}

/** A resource as the program declares it. */
export interface Declaration {
  readonly resource: Resource;
  readonly inputs: EndpointInputs;
}
