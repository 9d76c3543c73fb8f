import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor } from './redaction';

const shortEscapes = new Map(
  Object.entries({
    '"': '\\"',
    '\\': '\\\\',
    '/': '\\/',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\b': '\\b',
    '\f': '\\f',
  }),
);

/** Changes the case of hexadecimal digits as the choices say. */
function mixCase(hex: string, choices: readonly boolean[]): string {
  return [...hex].map((digit, index) => (choices[index] ? digit.toUpperCase() : digit)).join('');
}

const choices = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });

/** A character as an encoder may spell it. */
function spellingOf(character: string): fc.Arbitrary<string> {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  return fc.oneof(
    fc.constant(character),
    fc.constant(shortEscapes.get(character) ?? character),
    choices.map((some) => units.map((hex) => `\\u${mixCase(hex, some)}`).join('')),
    choices.map((some) => bytes.map((hex) => `%${mixCase(hex, some)}`).join('')),
  );
}

const escapeAgain = (text: string) => JSON.stringify(text).slice(1, -1);

/** Characters that encoders treat specially, or that occur in escapes themselves. */
const keyCharacter = fc.oneof(
  fc.constantFrom(...'/"\\\\%u005cCnbft-_.azAZ19é日😀 \n\t'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
);
const key = fc.array(keyCharacter, { minLength: 1, maxLength: 12 });

/** A key, and the key as encoders may spell it: once or twice. */
const spelledKey = key.chain((characters) =>
  fc.tuple(fc.tuple(...characters.map(spellingOf)), fc.boolean()).map(([parts, isEscapedTwice]) => ({
    secret: characters.join(''),
    spelled: isEscapedTwice ? escapeAgain(parts.join('')) : parts.join(''),
  })),
);

/** Text that no spelling of a key of the test holds a part of. */
const around = fc.string({ unit: fc.constantFrom('«', '»', '…', 'ß') });

describe('makeRedactor', () => {
  it.each([
    ['one secret as long as a file', 1, 30_000],
    ['many secrets', 500, 100],
  ])('redacts %s, in a moment', (_what, count, length) => {
    const secretOf = (seed: number) =>
      Array.from({ length }, (_, index) => `${(index * 7 + seed) % 26}\\x`).join('');
    const secrets = Array.from({ length: count }, (_, seed) => secretOf(seed));
    const [secret = ''] = secrets;
    const startedAt = Date.now();
    const redact = makeRedactor(secrets);
    for (const spelled of [secret, JSON.stringify(secret), encodeURIComponent(secret)])
      expect(redact(`before ${spelled} after`)).toMatch(/^before "?[*]{3}"? after$/);
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });

  it('redacts a key completely in every encoding', () => {
    fc.assert(
      fc.property(spelledKey, around, around, ({ secret, spelled }, before, after) => {
        const redact = makeRedactor([secret]);
        expect(redact(`${before}${spelled}${after}`)).toBe(`${before}***${after}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('redacts a key anywhere in a text, even after a backslash', () => {
    const redact = makeRedactor(['canary-key']);
    expect(redact('canary-key C:\\canary-key "\\\\\\"canary-key\\\\\\""')).toBe(
      '*** C:*** "\\\\\\"***\\\\\\""',
    );
  });

  it('leaves text without the key unchanged', () => {
    // Everything that the spellings of the key are made of, but for its y.
    const text = fc.string({ unit: fc.constantFrom(...'canr-ke\\u0063%"/xé😀'), maxLength: 60 });
    fc.assert(
      fc.property(text, (keyless) => {
        expect(makeRedactor(['canary-key'])(keyless)).toBe(keyless);
      }),
    );
  });

  it.each([
    'canary-ke',
    'anary-key',
    'CANARY-KEY',
    'canary.key',
    'u0063anary-key',
    'canary\\u002Ekey',
    'canary key',
  ])('leaves %s unchanged, which is not the key canary-key', (text) => {
    expect(makeRedactor(['canary-key'])(text)).toBe(text);
  });

  it('treats a key as literal text, not as a pattern', () => {
    expect(makeRedactor(['k.*y[1]$'])('key1 k.*y[1]$')).toBe('key1 ***');
  });

  it('redacts several secrets, the longest first', () => {
    expect(makeRedactor(['key', 'key-2', 'word'])('key key-2 sword')).toBe('*** *** s***');
  });

  it('leaves text unchanged if there is no secret', () => {
    expect(makeRedactor(['', ''])('canary')).toBe('canary');
    expect(makeRedactor([])('canary')).toBe('canary');
  });

  it.each([
    ['canary-key', '\\'.repeat(300_000)],
    ['c\\\\nary', `c${'\\'.repeat(300_000)}`],
    ['\\\\key', '%5c'.repeat(200_000)],
    ['\\key', '\\u005c'.repeat(100_000)],
    ['cccd', 'c\\'.repeat(200_000)],
  ])('searches a long text for %s in linear time', (secret, text) => {
    // In quadratic time this takes minutes.
    expect(makeRedactor([secret])(text) === text).toBe(true);
  });
});
