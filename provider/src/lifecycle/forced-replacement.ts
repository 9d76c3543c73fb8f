import type { Declared } from './resource-identity';

export const replacedByOption =
  'a resource option (replaceWith, replaceOnChanges, import or another provider) replaces it';

/** What a create does, and what it deletes first if it is a forced replacement, which the engine does not show. */
export function orForced({ resource }: Declared<object>, unforced: string, what: string): string {
  if (resource.createsBeforeDelete) return unforced;
  return `${unforced.replace(/\.$/, '')}. Only with --replace or taint, \`pulumi up\` first deletes ${what}, unless the state has retainOnDelete`;
}
