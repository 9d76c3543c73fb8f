import type { Declared, Properties } from './resource-identity';

/** Shorter values (`on`, `0`) are not redacted: they occur in every text. */
const shortestSecret = 4;

/** The values that no message may repeat: what the program marks as secret, and those of maps that often hold secrets. */
export function listSecretValues({ resource: { secretNames = [] }, inputs }: Declared<object>): string[] {
  const values = inputs as Properties;
  const marked = secretNames.flatMap((name) => listTexts(values[name]));
  const likely = [values.restartTriggers, values.pgSettings].flatMap(listTexts);
  const isWord = (text: string) => /^(true|false|null|none|\d+)$/i.test(text);
  return [...marked, ...likely.filter((text) => !isWord(text))].filter(
    (text) => text.length >= shortestSecret,
  );
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts);
  return value === undefined || value === null ? [] : [String(value)];
}
