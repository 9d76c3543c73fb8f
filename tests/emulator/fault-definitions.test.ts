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

it.each<[object, RegExp]>([
  [{ effect: { kind: 'explode' } }, /effect.kind must be one of/],
  [{ effect: { kind: 'malformed' }, time: 3 }, /fault.time is not an attribute of this request/],
  [{ effect: { kind: 'malformed' }, times: 0 }, /times must be/],
  [{ match: { verb: 'GET' }, effect: { kind: 'malformed' } }, /match.verb is not an attribute/],
  [{ effect: { kind: 'status' } }, /effect.status is required/],
  [{ effect: { kind: 'status', status: 200 } }, /400 to 599/],
  [{ effect: { kind: 'proxy-page' } }, /effect.status is required/],
  [{ effect: { kind: 'proxy-page', status: 199 } }, /from 200 to 599/],
  [{ effect: { kind: 'proxy-page', status: 200, contentType: 'a\r\nX: 1' } }, /effect.contentType must be/],
  [{ effect: { kind: 'proxy-page', status: 200, body: {} } }, /effect.body must be a string/],
  [{ effect: { kind: 'late-read' } }, /effect.lateMs/],
  [{ effect: { kind: 'late-read', lateMs: 60_001 } }, /effect.lateMs/],
  ...['a'.repeat(501), '/**/a/**', '/:a:b', '/a:b', '/:a.b'].map((path): [object, RegExp] => [
    { match: { path }, effect: { kind: 'malformed' } },
    /match.path must be a path of up to 500 characters/,
  ]),
])('rejects the fault %j', async (fault, message) => {
  const { emulator } = await startService();
  expect(() => emulator.inject({ match: {}, ...fault } as never)).toThrow(message);
});

it('a hostile path does not slow down a pattern', async () => {
  const { emulator, call } = await startService();
  const path = `/**${'/:x'.repeat(150)}/start`;
  const fault = emulator.inject({ match: { path }, effect: { kind: 'status', status: 503 } });
  const { status } = await call('GET', `/${'a'.repeat(150)}b${'/a'.repeat(3000)}c`);
  expect([status, fault.hits]).toEqual([501, 0]);
});
