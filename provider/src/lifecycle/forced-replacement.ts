import type { Declared, Properties } from './resource-identity';

export const replacedByOption =
  'a resource option (replaceWith, replaceOnChanges, import or another provider) replaces it';

/**
 * The preview of a create that may be a forced replacement, which the engine's calls don't show. It names both cases, the likelier one
 * first: with `adopt`, a take-over; without, the replacement of what the resource itself has under that name.
 * @param unforced what an ordinary create does
 * @param what what a forced replacement deletes first
 */
export function orForced({ resource, inputs }: Declared<object>, unforced: string, what: string): string {
  if (resource.createsBeforeDelete) return unforced;
  const forced = `--replace or taint, \`pulumi up\` first deletes ${what}, unless it has retainOnDelete`;
  return (inputs as Properties).adopt === true
    ? `${unforced.replace(/\.$/, '')}. With ${forced}`
    : `with ${forced}. Otherwise: ${unforced}`;
}
