import { createHash } from 'node:crypto';
import { unknownValue } from './endpoint-inputs';

const maxNameLength = 64;
const hashLength = 8;

/**
 * The name that an endpoint gets when the program gives none: `project-stack-resource-1a2b3c4d`. It is the same
 * whenever the same resource is created again, so that a create that was cut off finds what it had made; the hash
 * covers the whole URN and the fields that replace the endpoint, so that a replacement does not take its
 * predecessor for itself.
 */
export function deriveEndpointName(urn: string, replacingValues: readonly unknown[]): string {
  if (replacingValues.includes(unknownValue)) return unknownValue;
  const hash = createHash('sha256')
    .update(JSON.stringify([urn, ...replacingValues]))
    .digest('hex')
    .slice(0, hashLength);
  const [stack = '', project = '', , ...resource] = urn.replace(/^urn:pulumi:/, '').split('::');
  const readable = [project, stack, resource.join('-')].join('-');
  return `${readable.slice(0, maxNameLength - hashLength - 1)}-${hash}`;
}
