import { createHash } from 'node:crypto';
import { unknownValue } from './input-values';
import type { Resource } from './resource-identity';

const maxNameLength = 64;
const hashLength = 8;

/** Stands for a name that may be a secret. */
export function hashName(name: string): string {
  return hash(name, 2 * hashLength);
}

/** The name of a branch until its create has finished, from its derived name. */
export function toUnfinishedName(derivedName: string): string {
  return `${derivedName}-creating`;
}

/** The derived name of a branch, also of one whose create has not finished. */
export function toFinishedName(name: string): string {
  return name.replace(/-creating$/, '');
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
 * The derived names by which a create finds the orphan of an earlier try. It creates under the first. The second is for a replacement
 * that is created while the old resource has the first name, which is then left out. Otherwise a create looks for both: since the
 * earlier try, another client may have renamed or deleted the old resource.
 */
export function deriveNames(
  { replaces, ...resource }: Resource,
  inputs: Readonly<Record<string, unknown>>,
  replacingArguments: readonly string[],
): string[] {
  const first = deriveName(resource, inputs, replacingArguments);
  if (first === undefined) return [];
  const second = deriveName({ ...resource, replaces: hashName(first) }, inputs, replacingArguments) ?? first;
  return [first, second].filter((name) => hashName(name) !== replaces);
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
