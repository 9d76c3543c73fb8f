import { describe, expect, it } from 'vitest';
import { toRegExp } from '../../emulator/src/faults/fault-registry';
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
    ['**', '', true],
    ['/projects/**', '/projects/', true],
    ['/projects/**/start', '/projects/p/endpoints/e/start', true],
    ['/projects/**/start', '/projects/p/endpoints/e/restart', false],
    ['/**/:e/start', '/projects/p/endpoints/e/start', true],
    ['/a.c', '/abc', false],
    ['/a+(b)[c]', '/a+(b)[c]', true],
    ['/*', '/x', false],
    ['/ü/:x', '/ü/😀', true],
  ])('the pattern %s matches the path %s: %s', (pattern, path, expected) => {
    expect(toRegExp(pattern).test(path)).toBe(expected);
  });
});

it('a hostile path does not slow down a pattern', async () => {
  const { emulator, call } = await startService();
  const path = `/**${'/:x'.repeat(150)}/start`;
  const fault = emulator.inject({ match: { path }, effect: { kind: 'status', status: 503 } });
  const { status } = await call('GET', `/${'a'.repeat(150)}b${'/a'.repeat(3000)}c`);
  expect([status, fault.hits]).toEqual([404, 0]);
});
