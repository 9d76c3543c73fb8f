import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { toTypeScript, writeProgram } from './program-text';

/** Text that is rich in characters that are not visible. */
const oddText = fc.string({
  unit: fc.constantFrom(...'\u0000\u001b\u007f\u0085\u200b\u202e\u2028\u2029\ufeff\'"\\\n#['),
});

/** What the text means to JavaScript. */
const evaluate = (text: string): unknown => runInNewContext(`JSON.stringify(${text})`);

it('writes a program that declares each endpoint, and the project once', () => {
  const { projectId, branchId, type, name, pgSettings } = declared;
  const text = writeProgram('p-1', [
    { name: 'api', declared: { projectId, branchId, type } },
    { name: 'web', declared: { projectId, branchId, type, name: name ?? '', pgSettings: pgSettings ?? {} } },
  ]);
  expect(text).toBe(`import { ComputeEndpoint } from 'pulumi-postgres-compute';

const projectId = 'p-1';

new ComputeEndpoint('api', {
  projectId,
  branchId: 'br-1',
  type: 'read_write',
}, { protect: true });

new ComputeEndpoint('web', {
  projectId,
  branchId: 'br-1',
  type: 'read_write',
  name: 'api',
  pgSettings: { work_mem: '4MB' },
}, { protect: true });`);
});

it('writes any string as an equal literal, invisible characters escaped', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), oddText), (value) => {
      const text = toTypeScript(value);
      expect(evaluate(text)).toBe(JSON.stringify(value));
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

it('writes any map of settings as an equal literal', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }), (settings) => {
      expect(evaluate(toTypeScript(settings))).toBe(JSON.stringify(settings));
    }),
  );
});

it('quotes a property name that is not an identifier', () => {
  expect(toTypeScript({ 'auto_explain.log_analyze': 'on' })).toBe("{ 'auto_explain.log_analyze': 'on' }");
});

it('writes a setting called __proto__ as a property', () => {
  const settings: unknown = JSON.parse('{"__proto__":"on"}');
  expect(evaluate(toTypeScript(settings))).toBe('{"__proto__":"on"}');
});
