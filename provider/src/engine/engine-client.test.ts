import { expect, it } from 'vitest';
import { findEngineAddress } from './engine-client';

it.each([
  [['127.0.0.1:4711'], '127.0.0.1:4711'],
  [['--tracing', 'localhost:4711'], 'localhost:4711'],
  [['[::1]:4711'], '[::1]:4711'],
  [['node', 'index.js'], undefined],
  [['engine.test:4711'], undefined],
  [['127.0.0.1'], undefined],
  [[], undefined],
])('findEngineAddress finds in the arguments %j: %s', (processArguments, expected) => {
  expect(findEngineAddress(processArguments)).toBe(expected);
});
