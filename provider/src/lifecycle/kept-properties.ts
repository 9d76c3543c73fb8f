import type { Properties } from './resource-identity';

/** The properties that `isKept` accepts. Without lodash's `pick` and `omit`, which take paths: a refresh does this for every resource. */
export function keepProperties(
  properties: object,
  isKept: (name: string, value: unknown) => boolean,
): Record<string, unknown> {
  const all = properties as Properties; // Every object has properties by name.
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(all)) if (isKept(name, all[name])) kept[name] = all[name];
  return kept;
}

export function omitUndefined(properties: object): Record<string, unknown> {
  return keepProperties(properties, (_name, value) => value !== undefined);
}
