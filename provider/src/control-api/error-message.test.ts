import { expect, it } from 'vitest';
import { messageOf } from './error-message';

it.each([
  ['an error', new TypeError('no such thing'), 'no such thing'],
  ['text', 'no such thing', 'no such thing'],
  ['nothing at all', undefined, 'undefined'],
])('says what was thrown: %s', (_what, thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
