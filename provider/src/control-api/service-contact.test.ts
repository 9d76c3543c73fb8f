import { expect, it } from 'vitest';
import { parseJson } from './service-contact';

it.each([
  ['a lone surrogate', '{"name":"a\\ud800b"}', { name: 'a\ufffdb' }],
  ['a pair of surrogates', '{"name":"\\uD83D\\uDE00"}', { name: '\u{1f600}' }],
  ['a backslash before what looks like one', '{"name":"\\\\ud800"}', { name: '\\ud800' }],
])('parses text with %s as well-formed text', (_what, text, parsed) => {
  expect(parseJson(text)).toEqual(parsed);
});
