/** The properties that `isKept` accepts. */
export function keepProperties(
  properties: object,
  isKept: (name: string, value: unknown) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([name, value]) => isKept(name, value)));
}

export function omitUndefined(properties: object): Record<string, unknown> {
  return keepProperties(properties, (_name, value) => value !== undefined);
}
