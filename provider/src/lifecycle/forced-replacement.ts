import type { Declared, Properties } from './resource-identity';

export const replacedByOption =
  'a resource option (replaceWith, replaceOnChanges, import or another provider) replaces it';

/**
 * What a create does, and what it deletes first if it is a forced replacement: the engine shows no difference. The likelier case comes
 * first: with `adopt`, a take-over; without, the replacement of what the resource itself has under that name.
 */
export function orForced({ resource, inputs }: Declared<object>, unforced: string, what: string): string {
  if (resource.createsBeforeDelete) return unforced;
  const forced = `--replace or taint, \`pulumi up\` first deletes ${what}, unless it has retainOnDelete`;
  return (inputs as Properties).adopt === true
    ? `${unforced.replace(/\.$/, '')}. With ${forced}`
    : `with ${forced}. Otherwise: ${unforced}`;
}
