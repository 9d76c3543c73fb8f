/** The properties with certain names. A refresh does this for every resource, and lodash's `pick` and `omit`, which take paths, are slow. */
export function keepProperties(
  properties: object,
  isKept: (name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name)));
}
