import { createHash } from 'node:crypto';
import { unknownValue } from './endpoint-inputs';

const maxNameLength = 64;
const hashLength = 8;

/** What makes a resource the one that it is, in all of an account. */
export interface ResourceIdentity {
  readonly urn: string;
  /** The Pulumi organization; two of them may use the same names of project and stack. Absent: the default one. */
  readonly organization?: string | undefined;
  /** Stands for the name of the endpoint that this one replaces while it still exists: `hashName` of it. */
  readonly replaces?: string | undefined;
}

/** Stands for a name that may be a secret. */
export function hashName(name: string): string {
  return createHash('sha256')
    .update(name)
    .digest('hex')
    .slice(0, 2 * hashLength);
}

/**
 * The name that an endpoint gets when the program gives none: `project-stack-resource-1a2b3c4d`. It is the same
 * whenever the same resource is created again, so that a create that was cut off finds what it had made; the hash
 * covers the organization, the whole URN and the fields that replace the endpoint.
 */
export function deriveEndpointName(
  { urn, organization, replaces }: ResourceIdentity,
  replacingValues: readonly unknown[],
): string {
  if (replacingValues.includes(unknownValue)) return unknownValue;
  const parts = [
    urn,
    ...replacingValues,
    ...(organization === undefined ? [] : [{ organization }]),
    ...(replaces === undefined ? [] : [{ replaces }]),
  ];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, hashLength);
  const [stack = '', project = '', , ...resource] = urn.replace(/^urn:pulumi:/, '').split('::');
  const readable = [project, stack, resource.join('-')].join('-');
  return `${readable.slice(0, maxNameLength - hashLength - 1)}-${hash}`;
}
