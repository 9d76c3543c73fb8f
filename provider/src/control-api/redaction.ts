import { escapeRegExp } from 'lodash';

/** Redacts secrets in a text that is about to be shown or stored. */
export type Redact = (text: string) => string;

/** Replaces a secret. */
export const redactedText = '***';

/**
 * Redacts each secret in every encoding: plain, with JSON escapes (`\/`, `\u0063`, also escaped twice), and
 * percent-encoded. Apply it only to text for people, never to text that is parsed.
 */
export function makeRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((left, right) => right.length - left.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(longestFirst.map(spellingsOf).join('|'), 'g');
  return (text) => text.replace(pattern, redactedText);
}

// A text may contain long runs of backslashes. Each run is matched only from its start, and in only one way, because
// otherwise the search time would grow with the square of its length.

function spellingsOf(secret: string): string {
  const parts = secret.match(/\\+|[^\\]/gu) ?? [];
  const start = secret.startsWith('\\') ? `(?<!${anyBackslash})` : '(?<!\\\\)';
  return start + parts.map((part, index) => spellingsOfPart(part, parts[index - 1])).join('');
}

const anyBackslash = '\\\\|u005[cC]|%5[cC]';

function spellingsOfPart(part: string, before = ''): string {
  // The run includes the backslashes of an escape that follows.
  if (part.startsWith('\\')) return `(?:${anyBackslash}){${part.length},}`;
  const [some, any] = before.startsWith('\\') ? ['', ''] : ['\\\\+', '\\\\*'];
  // Escapes first: a match of only their first character would leave the rest.
  const escapes = [unicodeEscapeOf(part), ...(shortEscapes[part] ?? [])].map((spelling) => some + spelling);
  return `(?:${[...escapes, any + percentEscapeOf(part), any + escapeRegExp(part)].join('|')})`;
}

/** `u0063`, without the leading backslash; two escapes for a character outside the basic plane. */
function unicodeEscapeOf(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((hex) => `u${anyCase(hex)}`).join('\\\\+');
}

function percentEscapeOf(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  return bytes.map((hex) => `%${anyCase(hex)}`).join('');
}

const shortEscapes: Readonly<Record<string, readonly string[]>> = {
  '\n': ['n'],
  '\r': ['r'],
  '\t': ['t'],
  '\b': ['b'],
  '\f': ['f'],
};

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
