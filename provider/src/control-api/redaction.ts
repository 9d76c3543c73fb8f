import { escapeRegExp } from 'lodash';

/** Takes secrets out of a text that is about to be shown or stored. */
export type Redact = (text: string) => string;

/** What is shown in place of a secret. */
export const redactedText = '***';

/**
 * Redacts each secret in every spelling that an encoder may have chosen for it: as it is, with JSON escapes (`\/`,
 * `\u0063`, also escaped twice), or percent-encoded. Only text for people passes it, never what is parsed.
 */
export function makeRedactor(secrets: Iterable<string>): Redact {
  const longestFirst = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((left, right) => right.length - left.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(longestFirst.map(spellingsOf).join('|'), 'g');
  return (text) => text.replace(pattern, redactedText);
}

// A text may hold backslashes without end, so a run of them is matched from its start only, and in one way only:
// otherwise the time to search it would grow with its square.

function spellingsOf(secret: string): string {
  const parts = secret.match(/\\+|[^\\]/gu) ?? [];
  const start = secret.startsWith('\\') ? `(?<!${anyBackslash})` : '(?<!\\\\)';
  return start + parts.map((part, index) => spellingsOfPart(part, parts[index - 1])).join('');
}

const anyBackslash = '\\\\|u005[cC]|%5[cC]';

function spellingsOfPart(part: string, before = ''): string {
  // The backslashes of an escape behind it are a part of the run.
  if (part.startsWith('\\')) return `(?:${anyBackslash}){${part.length},}`;
  const [some, any] = before.startsWith('\\') ? ['', ''] : ['\\\\+', '\\\\*'];
  // Escapes first: what follows their first character is not to remain.
  const escapes = [unicodeEscapeOf(part), ...(shortEscapes[part] ?? [])].map((spelling) => some + spelling);
  return `(?:${[...escapes, any + percentEscapeOf(part), any + escapeRegExp(part)].join('|')})`;
}

/** `u0063`, without the first backslash; beyond the first plane two of them. */
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
