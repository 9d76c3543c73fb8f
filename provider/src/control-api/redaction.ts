import { escapeRegExp, memoize, once } from 'lodash';

/** Redacts secrets in a text that is about to be shown or stored: the key, and what lifecycle/secrets.ts lists. */
export type Redact = (text: string) => string;

/** Replaces a secret. */
export const redactedText = '***';

/** The longest piece of a secret that one regular expression looks for: a much longer one overflows the stack. Characters. */
const longestPiece = 500;

/**
 * Redacts each secret in every encoding: plain, with JSON escapes (`\/`, `\u0063`, also escaped twice), and
 * percent-encoded. Apply it only to text for people, never to text that is parsed.
 */
export function makeRedactor(secrets: Iterable<string>): Redact {
  // One after the other: the time to compile one expression for all grows with the square of their number.
  const redactors = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((left, right) => right.length - left.length)
    .map(redactorOf);
  return (text) => redactors.reduce((shown, redact) => redact(shown), text);
}

/** A connection string up to its password, and the password: up to the last `@` of the word, since it may hold others. */
const passwordInUri =
  /(\bpostgres(?:ql)?(?::|%3a)(?:\/|\\\/|%2f){2}[^\s:@/]{0,200}?(?::|%3a))\S{1,500}(?=@|%40)/gi;

/** Redacts the passwords of connection strings, which the provider can't know as secrets. For text for people only. */
export function redactPasswords(text: string): string {
  return text.replace(passwordInUri, `$1${redactedText}`);
}

function redactorOf(secret: string): Redact {
  const [first = '', ...rest] = toPieces(secret);
  const compile = once(() => new RegExp(spellingsOf(first), 'g'));
  return (text) => {
    // No spelling is shorter than the secret itself.
    if (text.length < first.length) return text;
    const start = compile();
    let shown = '';
    let at = 0;
    for (;;) {
      start.lastIndex = at;
      const found = start.exec(text);
      if (!found) return shown + text.slice(at);
      shown += text.slice(at, found.index) + redactedText;
      at = findEnd(rest, text, start.lastIndex);
    }
  };
}

/** The end of the longest run of consecutive pieces that the text has at `from`. */
function findEnd(pieces: readonly string[], text: string, from: number): number {
  let end = from;
  for (const piece of pieces) {
    const pattern = new RegExp(spellingsOf(piece), 'y');
    pattern.lastIndex = end;
    if (!pattern.test(text)) return end;
    end = pattern.lastIndex;
  }
  return end;
}

/** Short enough, each, for one regular expression. */
function toPieces(secret: string): string[] {
  const parts = partsOf(secret);
  const pieces: string[] = [];
  for (let start = 0; start < parts.length; ) {
    const end = start + longestPiece;
    // No piece ends in backslashes: they would belong to the spelling of what follows.
    const isCut = parts[end - 1]?.startsWith('\\') === true;
    pieces.push(parts.slice(start, isCut ? end + 1 : end).join(''));
    start = isCut ? end + 1 : end;
  }
  return pieces;
}

/** Its characters, each run of backslashes as one. */
function partsOf(secret: string): string[] {
  return secret.match(/\\+|[^\\]/gu) ?? [];
}

// A text may contain long runs of backslashes. Each run is matched only from its start, and in only one way, because
// otherwise the search time would grow with the square of its length.

function spellingsOf(secret: string): string {
  const parts = partsOf(secret);
  const start = secret.startsWith('\\') ? `(?<!${anyBackslash})` : '(?<!\\\\)';
  return start + parts.map((part, index) => spellingsOfPart(part, parts[index - 1])).join('');
}

const anyBackslash = '\\\\|u005[cC]|%5[cC]';

function spellingsOfPart(part: string, before = ''): string {
  // The run includes the backslashes of an escape that follows.
  if (part.startsWith('\\')) return `(?:${anyBackslash}){${part.length},}`;
  const [some, any] = before.startsWith('\\') ? ['', ''] : ['\\\\+', '\\\\*'];
  // Escapes first: a match of only their first character would leave the rest.
  const { escapes, others } = spellingsOfCharacter(part);
  return `(?:${[...escapes.map((spelling) => some + spelling), ...others.map((spelling) => any + spelling)].join('|')})`;
}

/** Without the leading backslashes. Secrets consist of few characters, which occur in many. */
const spellingsOfCharacter = memoize((character: string) => ({
  escapes: [unicodeEscapeOf(character), ...(shortEscapes[character] ?? [])],
  others: [percentEscapeOf(character), escapeRegExp(character)],
}));

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
