import type { Declared } from './resource-identity';

export const replacedByOption =
  'a resource option (replaceWith, replaceOnChanges, import or another provider) replaces it';

/** What a forced replacement deletes first, which the engine does not show, and what the create does if it is none. */
export function orForced({ resource }: Declared<object>, unforced: string, what: string): string {
  if (resource.createsBeforeDelete) return unforced;
  return `only with --replace or taint, \`pulumi up\` first deletes ${what}, unless the state has retainOnDelete. Otherwise: ${unforced}`;
}
