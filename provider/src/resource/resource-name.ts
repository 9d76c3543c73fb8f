import { createHash } from 'node:crypto';
import { replacingArguments } from './argument-effects';
import { unknownValue } from './endpoint-inputs';
import type { Resource } from './resource-identity';

const maxNameLength = 64;
const hashLength = 8;

/** Stands for a name that may be a secret. */
export function hashName(name: string): string {
  return hash(name, 2 * hashLength);
}

/**
 * The name that an endpoint gets when the program gives none: `project-stack-resource-1a2b3c4d`; undefined without a URN.
 * Creating the same resource again derives the same name, so a create that was interrupted finds what it had created. The
 * hash covers the organization, the whole URN and the arguments that replace the endpoint.
 */
export function deriveEndpointName(
  { urn, organization, replaces }: Resource,
  inputs: Readonly<Record<string, unknown>>,
): string | undefined {
  if (urn === undefined) return undefined;
  const replacingValues = replacingArguments.map((name) => inputs[name] ?? null);
  if (replacingValues.includes(unknownValue)) return unknownValue;
  const parts = [
    urn,
    ...replacingValues,
    ...(organization === undefined ? [] : [{ organization }]),
    ...(replaces === undefined ? [] : [{ replaces }]),
  ];
  const [stack = '', project = '', , ...resource] = urn.replace(/^urn:pulumi:/, '').split('::');
  const readable = [project, stack, resource.join('-')].join('-');
  const suffix = hash(JSON.stringify(parts), hashLength);
  return `${readable.slice(0, maxNameLength - hashLength - 1)}-${suffix}`;
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
