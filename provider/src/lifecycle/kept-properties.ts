type Properties = Readonly<Record<string, unknown>>;

/** The properties with certain names. A refresh does this for every resource, and lodash's `pick` and `omit`, which take paths, are slow. */
export function keepProperties(
  properties: object,
  isKept: (name: string, value: unknown) => boolean,
): Record<string, unknown> {
  const all = properties as Properties; // Every object has properties by name.
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(all)) if (isKept(name, all[name])) kept[name] = all[name];
  return kept;
}

/** The properties that are not undefined. */
export function keepGiven(properties: object): Record<string, unknown> {
  return keepProperties(properties, (_name, value) => value !== undefined);
}
