import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toTypeScript } from './program-text';

/** Text that is rich in characters that are not visible. */
const oddText = fc.string({
  unit: fc.constantFrom(...'\u0000\u001b\u007f\u0085\u200b\u202e\u2028\u2029\ufeff\'"\\\n#['),
});

/** What the text means to JavaScript. */
const evaluate = (text: string): unknown => runInNewContext(`JSON.stringify(${text})`);

it('writes any string as an equal literal, invisible characters escaped', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), oddText), (value) => {
      const text = toTypeScript(value);
      expect(evaluate(text)).toBe(JSON.stringify(value));
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

it('writes any map of texts and lists as an equal literal', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string())), { noNullPrototype: true }),
      (settings) => {
        expect(evaluate(toTypeScript(settings))).toBe(JSON.stringify(settings));
      },
    ),
  );
});

it('writes a setting called __proto__ as a property', () => {
  const settings: unknown = JSON.parse('{"__proto__":"on"}');
  expect(evaluate(toTypeScript(settings))).toBe('{"__proto__":"on"}');
});
