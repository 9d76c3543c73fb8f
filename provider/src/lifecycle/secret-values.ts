import { union } from 'lodash';
import { toPrintable } from '../control-api/printable';
import type { Declared, Properties } from './resource-identity';

/** Shorter values (`on`, `0`) are not redacted: they occur in every text. */
const shortestSecret = 4;

/**
 * The values that no message may repeat: what the program marks as secret, and those of maps that often hold secrets. Each also
 * in the form in which a message shows it: in one line, trimmed.
 */
export function listSecretValues({ resource: { secretNames = [] }, inputs }: Declared<object>): string[] {
  const values = inputs as Properties;
  const marked = secretNames.flatMap((name) => listTexts(values[name]));
  const likely = [values.restartTriggers, values.pgSettings].flatMap(listTexts);
  const isWord = (text: string) => /^(true|false|null|none|\d+)$/i.test(text.trim());
  const secrets = [...marked, ...likely.filter((text) => !isWord(text))];
  const shown = secrets.map((text) => toPrintable(text).trim());
  return union(secrets, shown).filter((text) => text.length >= shortestSecret);
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts);
  return value === undefined || value === null ? [] : [String(value)];
}
