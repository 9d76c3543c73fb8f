import { createHash } from 'node:crypto';
import { unknownValue } from './input-values';
import type { Resource } from './resource-identity';

const maxNameLength = 64;
const hashLength = 8;

/** Stands for a name that may be a secret. */
export function hashName(name: string): string {
  return hash(name, 2 * hashLength);
}

/**
 * The name that a resource gets when the program gives none: `project-stack-resource-1a2b3c4d`; undefined without a URN.
 * Creating the same resource again derives the same name, so a create that was interrupted finds what it had created. The
 * hash covers the organization, the whole URN and the arguments that replace the resource.
 */
export function deriveName(
  { urn, organization, replaces }: Resource,
  inputs: Readonly<Record<string, unknown>>,
  replacingArguments: readonly string[],
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

/**
 * The derived names of a resource whose create may have been tried before; the resource is created under the first. There
 * are two if it replaces one that still exists: one derived without the old name and one with it. The first is what a create
 * derives that does not know the old one: a forced replacement (`--replace`, taint), or the create after a killed replacement
 * whose old resource is gone. Only where the old one has that name does the new one get the second.
 */
export function deriveNames(
  resource: Resource,
  inputs: Readonly<Record<string, unknown>>,
  replacingArguments: readonly string[],
): string[] {
  const { replaces, createsBeforeDelete: _, ...alone } = resource;
  const names = [alone, resource].map((each) => deriveName(each, inputs, replacingArguments));
  return names.filter((name): name is string => name !== undefined && hashName(name) !== replaces);
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
