import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPrintable, toPrintableJson } from './printable';

/** Controls (C0, C1), format and bidi characters, line separators, halves of a surrogate pair. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Text that is rich in what must not get through: random text hardly holds any of it. */
const odd = fc.constantFrom(
  ...['\u0000', '\u001b', '\u0007', '\u007f', '\u0085', '\u009b', '\u00ad', '\u200b', '\u200e', '\u202e'],
  ...['\u2066', '\u2028', '\u2029', '\ufeff', '\ud800', '\udc00', '\u{e0041}', '\n', '\r', '\t', '\v'],
  ...[':', '::', '#', '##', '##[', '##vso[', '[', ' ', '\\', '"', 'vso', 'error', 'é', '日', '😀'],
);
const oddText = fc.oneof(
  fc.array(odd).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);

describe('toPrintable', () => {
  it('escapes every invisible character, and returns one line', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        expect(toPrintable(text)).not.toMatch(unprintable);
      }),
    );
  });

  it('defuses every workflow command', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        expect(toPrintable(text)).not.toMatch(/^\s*::|##\w*\[/);
      }),
    );
  });

  it.each(['start_compute op-1', 'C:: and a::b', 'a # b ## c [d]', '日本 é 😀', '"\\u0041"', ''])(
    'leaves %j as it is',
    (text) => {
      expect(toPrintable(text)).toBe(text);
    },
  );

  it.each([
    ['\u001b[2J', '\\u001b[2J'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\u{e0041}'],
    ['one\r\ntwo\tthree', 'one two three'],
    ['one\u2028two\u2029three\u0085four', 'one two three four'],
  ])('writes %j as %s', (text, shown) => {
    expect(toPrintable(text)).toBe(shown);
  });

  it.each([
    ['::error::forged', '\\u003a:error::forged'],
    ['\n  ::add-mask::x', '   \\u003a:add-mask::x'],
    ['##[error]forged', '\\u0023#[error]forged'],
    ['####[x]', '##\\u0023#[x]'],
  ])('defuses the workflow command %j', (text, shown) => {
    expect(toPrintable(text)).toBe(shown);
  });
});

describe('toPrintableJson', () => {
  const oddJson = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      oddText,
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(oddText, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;

  it.each([0, 2])('parses to the same value with an indent of %d', (indent) => {
    fc.assert(
      fc.property(oddJson, (value) => {
        expect(JSON.parse(toPrintableJson(value, indent))).toEqual(value);
      }),
    );
  });

  it('escapes invisible characters, and defuses workflow commands', () => {
    fc.assert(
      fc.property(oddJson, (value) => {
        for (const line of toPrintableJson(value).split('\n')) {
          expect(line).not.toMatch(unprintable);
          expect(line).not.toMatch(/^\s*::|##\w*\[/);
        }
      }),
    );
  });

  it('writes a character outside the basic plane as two escapes', () => {
    expect(toPrintableJson('\u{e0041}')).toBe('"\\udb40\\udc41"');
  });

  it('writes null for a value that JSON cannot represent', () => {
    expect(toPrintableJson(undefined)).toBe('null');
  });
});
