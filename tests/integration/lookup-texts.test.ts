import * as pulumi from '@pulumi/pulumi';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ControlApiError,
  getBranch,
  getComputeEndpoints,
  getOperations,
  getProject,
  getProjects,
  listOperations,
  waitForOperations,
} from '../../provider/src/index';
import { readConnectionUri } from '../../provider/src/lookups/live-connection-uri';
import { connectByStack } from '../../provider/src/lookups/stack-connection';
import { errorOf } from '../support/failure';
import { type ScriptedResponse, startScriptedService } from '../support/scripted-service';
import { runWith } from '../support/start-command';

const password = 's3cret@word/1';
const uri = `postgresql://app_owner:${password}@ep-1.example/app?sslmode=require`;
const words = ['connection-uri', '--database', 'app', '--role', 'app_owner'];

describe('a connection string in the text of the service', () => {
  it.each<[string, ScriptedResponse]>([
    ['a message', { status: 400, body: { code: 'BAD', message: `can't connect to ${uri}` } }],
    [
      'a request id',
      { status: 400, body: { code: 'BAD', message: 'no', request_id: encodeURIComponent(uri) } },
    ],
    ['a header', { status: 403, headers: { 'content-type': uri }, body: '<html>' }],
    ['another shape', { body: { connection_uri: uri } }],
    ['a nested shape', { body: { uri: { value: uri } } }],
  ])('has no password in the error: %s', async (_where, response) => {
    const { environment } = await startScriptedService(() => response);
    const { exitCode, stdout, stderr } = await runWith(words, environment);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('GET /projects/old-sun-12345678/connection_uri');
    expect(stderr).not.toMatch(/s3cret|word/);
  });

  it.each([
    ['is not one', '<html>log in</html>'],
    ['holds commands to a terminal', 'postgresql://a:b@h/app\u001b]0;title\u0007'],
    ['has a second line', 'postgresql://a:b@h/app\n::add-mask::x'],
  ])('is refused when it %s', async (_what, wrong) => {
    const { environment } = await startScriptedService(() => ({ body: { uri: wrong } }));
    const { exitCode, stdout, stderr } = await runWith(words, environment);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('it is not a connection string');
    expect(stderr).not.toContain('a:b');
  });
});

it('the names that an error lists are redacted and escaped', async () => {
  const place = { id: 'p-1', region_id: 'r', pg_version: 17, created_at: '2026-01-01T00:00:00Z' };
  await startScriptedService(() => ({
    body: { projects: [{ ...place, name: '\u001b[31mkey-of-this-test' }] },
  }));
  const { message } = await errorOf(getProject({ name: 'shop' }));
  expect(message).toBe('The account has no project named "shop". It has: \\u001b[31m*** (p-1).');
});

it('an error about the projects of an organization names the organization', async () => {
  const { environment } = await startScriptedService(({ pathname }) =>
    pathname === '/projects'
      ? { body: { projects: [] } }
      : { status: 404, body: { code: '', message: 'none' } },
  );
  const { stderr } = await runWith(['projects', 'get', 'shop', '--org', 'org-1'], environment);
  expect(stderr).toBe('error: Organization org-1 has no project named "shop". It has none.\n');
});

it('a key in plain text in the stack config is refused, not repeated', async () => {
  pulumi.runtime.setAllConfig({ 'postgresCompute:apiKey': 'canary-key' });
  onTestFinished(() => pulumi.runtime.setAllConfig({}));
  for (const lookUp of [getComputeEndpoints, getOperations]) {
    const { message } = await errorOf(lookUp({ projectId: 'p-1' }));
    expect(message).toMatch(/^postgresCompute:apiKey is not a secret/);
    expect(message).not.toContain('canary-key');
  }
});

it.each([
  ['getBranch', () => getBranch({ projectId: 'p' })],
  ['listOperations', () => listOperations({ projectId: 'p' }).next()],
  ['waitForOperations', () => waitForOperations({ projectId: 'p' })],
])('Pulumi prints no stack of an error of %s', async (_name, lookUp) => {
  await startScriptedService(() => ({ status: 401, body: { code: '', message: 'no such key' } }));
  const error = await errorOf(lookUp());
  expect(error).toBeInstanceOf(ControlApiError);
  expect(pulumi.RunError.isInstance(error)).toBe(true);
});

const connected = { projectId: 'p', databaseName: 'app', roleName: 'app_owner' };

/** An unset variable of a script must not mean the default endpoint. */
describe('an empty option', () => {
  it.each([
    [...words, '--endpoint', ''],
    [...words, '--branch', ' '],
    ['connection-uri', '--database', '', '--role', 'app_owner'],
    ['connection-uri', '--database', 'app', '--role', ''],
    ['projects', 'list', '--org', ''],
    ['endpoints', 'list', '--branch', ''],
    ['import-file', '--branch', ''],
    ['import-file', '--endpoint', ''],
    ['operations', 'list', '--branch', ''],
    ['operations', 'wait', '--endpoint', ''],
    ['endpoints', 'delete', ''],
    ['projects', 'get', ''],
    ['branches', 'get', ''],
  ])('is refused: %s %s %s %s %s %s', async (...line) => {
    const { environment, urls } = await startScriptedService(() => ({ body: { uri } }));
    const { exitCode, stderr } = await runWith(line, environment);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('must not be empty');
    expect(urls).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['getConnectionUri: branchId', () => readConnectionUri(connectByStack(), { ...connected, branchId: '' })],
    ['getProject: orgId', () => getProject({ name: 'shop', orgId: '' })],
    ['getProjects: orgId', () => getProjects({ orgId: '' })],
  ])('is refused by %s', async (which, lookUp) => {
    const { urls } = await startScriptedService(() => ({ body: { uri } }));
    await expect(lookUp()).rejects.toThrow(`${which} must not be empty.`);
    expect(urls).toEqual([]);
  });
});

it('getConnectionUri names a required argument that is missing', async () => {
  const { urls } = await startScriptedService(() => ({ body: { uri } }));
  const incomplete = { ...connected, roleName: undefined } as never;
  await expect(readConnectionUri(connectByStack(), incomplete)).rejects.toThrow('roleName is missing');
  expect(urls).toEqual([]);
});

it('getConnectionUri takes the id of a role, too', async () => {
  const { urls } = await startScriptedService(() => ({ body: { uri } }));
  const of = { projectId: 'p', databaseName: 'p/br-1/a', roleName: 'p/br-1/b/c' };
  await readConnectionUri(connectByStack(), of);
  const elsewhere = readConnectionUri(connectByStack(), { ...of, branchId: 'br-2' });
  await expect(elsewhere).rejects.toThrow('roleName is of branch br-1, and branchId is br-2');
  expect(urls).toEqual([
    expect.stringContaining('?branch_id=br-1&database_name=p%2Fbr-1%2Fa&role_name=b%2Fc'),
  ]);
});
