import { mapValues } from 'lodash';

/** How the engine marks a secret in the properties that it exchanges with a provider. */
const signatureKey = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

type Properties = Readonly<Record<string, unknown>>;

/** The properties with the named ones marked as secrets. */
export function markSecrets<Values extends object>(values: Values, names: readonly string[] = []): Values {
  if (names.length === 0) return values;
  const mark = (value: unknown, name: string) =>
    names.includes(name) ? { [signatureKey]: secretSignature, value } : value;
  // The types of the hosts know no marks.
  return mapValues(values, mark) as unknown as Values;
}

/** The properties without their marks, and the names of those that are, or contain, a secret. */
export function unmarkSecrets(properties: Properties): { values: Properties; secretNames: string[] } {
  const secretNames = Object.keys(properties).filter((name) => containsSecret(properties[name]));
  return { values: secretNames.length > 0 ? mapValues(properties, unmark) : properties, secretNames };
}

function containsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isMarked(value) || Object.values(value).some(containsSecret);
}

function unmark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== 'object' || value === null) return value;
  return isMarked(value) ? unmark(value.value) : mapValues(value, unmark);
}

function isMarked(value: object): value is { value: unknown } {
  return (value as Properties)[signatureKey] === secretSignature;
}
