import { describe, expect, it } from 'vitest';
import { PathPattern } from '../../emulator/src/faults/path-pattern';
import { startService } from '../support/service-client';

describe('a path pattern', () => {
  it.each([
    ['/projects', '/projects', true],
    ['/projects', '/projects/p', false],
    ['/projects/:p', '/projects/p', true],
    ['/projects/:p', '/projects/', false],
    ['/projects/:p', '/projects/p/q', false],
    ['/projects/:p/endpoints', '/projects/a-b-1/endpoints', true],
    ['/projects/:p/endpoints', '/projects/a/b/endpoints', false],
    ['/a:x/c', '/abb/c', true],
    [':a:b', 'x', false],
    [':a:b', 'xy', true],
    ['**', '', true],
    ['/projects/**', '/projects/', true],
    ['/projects/**/start', '/projects/p/endpoints/e/start', true],
    ['/projects/**/start', '/projects/p/endpoints/e/restart', false],
    ['/**/:e/start', '/projects/p/endpoints/e/start', true],
    ['****', '/any', true],
    ['/a.c', '/abc', false],
    ['/a+(b)[c]', '/a+(b)[c]', true],
    ['/*', '/x', false],
    ['/ü/:x', '/ü/😀', true],
  ])('the pattern %s matches the path %s: %s', (pattern, path, expected) => {
    expect(new PathPattern(pattern).matches(path)).toBe(expected);
  });
});

it('a hostile path pattern does not slow down the service', async () => {
  const { emulator, call } = await startService();
  // A regular expression with as many ".*" would not finish within the test timeout.
  const path = `/${'**a'.repeat(160)}`;
  const fault = emulator.inject({ match: { path }, effect: { kind: 'status', status: 503 } });
  const { status } = await call('GET', `/${'a'.repeat(150)}b${'/a'.repeat(3000)}c`);
  expect([status, fault.hits]).toEqual([404, 0]);
});

it('rejects a path pattern of more than 500 characters', async () => {
  const { emulator } = await startService();
  const fault = { match: { path: 'a'.repeat(501) }, effect: { kind: 'malformed' } } as const;
  expect(() => emulator.inject(fault)).toThrow('match.path must be a string of 0 to 500 characters');
});
