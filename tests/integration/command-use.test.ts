import { describe, expect, it } from 'vitest';
import { runWith, startCommand } from '../support/start-command';

const everyCommand = [
  '',
  'operations list',
  'operations get',
  'operations wait',
  'endpoints list',
  'endpoints get',
  'endpoints start',
  'endpoints suspend',
  'endpoints restart',
  'databases list',
  'roles list',
  'connection-uri',
  'import-file',
];

const helpOf = (command: string) => runWith([...command.split(' ').filter(Boolean), '--help'], {});

const examplesOf = (help: string) =>
  [...help.matchAll(/^ {2}\$ postgres-compute (.*?)(?: (?:&&|>) .*)?$/gm)].map(([, words = '']) =>
    words.split(' '),
  );

describe('--help', () => {
  it.each(everyCommand)(
    '"postgres-compute %s --help" shows examples, variables, exit codes',
    async (command) => {
      const { exitCode, stdout, stderr } = await helpOf(command);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(examplesOf(stdout)).not.toEqual([]);
      expect(stdout).toContain("can't read the config of a Pulumi stack");
      expect(stdout).toContain('POSTGRES_COMPUTE_API_KEY');
      expect(stdout).toMatch(
        /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}130 /,
      );
    },
  );

  it.each(everyCommand)('"postgres-compute %s --help" shows only valid examples', async (command) => {
    const { stdout } = await helpOf(command);
    for (const example of examplesOf(stdout)) {
      // Only the service is missing, so a valid example fails to connect.
      const { exitCode, stderr } = await runWith(example, {
        POSTGRES_COMPUTE_API_KEY: 'key',
        POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1/api/v2',
        POSTGRES_COMPUTE_PROJECT: 'p-1',
      });
      expect([example, exitCode, stderr]).toEqual([
        example,
        4,
        expect.stringContaining('connection refused'),
      ]);
    }
  });
});

describe('the settings of the command', () => {
  it('--project and --base-url override the environment', async () => {
    const { environment, emulator, primary } = await startCommand();
    const other = emulator.createProject();
    const { stdout } = await runWith(
      ['endpoints', 'list', '--project', other.id, '--base-url', emulator.url],
      {
        ...environment,
        POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1/api/v2',
      },
    );
    expect(stdout).toContain(emulator.endpoints(other.id)[0]?.id);
    expect(stdout).not.toContain(primary.id);
  });

  it('--project takes a name, too', async () => {
    const { run, primary } = await startCommand();
    expect((await run('endpoints', 'list', '--project', 'test')).stdout).toContain(primary.id);
    const { exitCode, stderr } = await run('endpoints', 'list', '--project', 'shop');
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringContaining('has no project named "shop". It has: test'),
    ]);
  });

  it.each([
    ['POSTGRES_COMPUTE_PROJECT', 'No project given: pass --project, or set POSTGRES_COMPUTE_PROJECT.'],
    [
      'POSTGRES_COMPUTE_API_KEY',
      'No API key given: set POSTGRES_COMPUTE_API_KEY. The command does not read the config of a Pulumi stack.',
    ],
    ['POSTGRES_COMPUTE_BASE_URL', 'No base URL given: pass --base-url, or set POSTGRES_COMPUTE_BASE_URL.'],
  ])('without %s, the command exits with 2 and explains what to set', async (variable, sentence) => {
    const { environment } = await startCommand();
    const end = await runWith(['endpoints', 'list'], { ...environment, [variable]: ' ' });
    expect(end).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${sentence}\n` });
  });

  it('refuses an invalid base URL with exit code 2', async () => {
    const { environment } = await startCommand();
    const { exitCode, stderr } = await runWith(['endpoints', 'list', '--base-url', 'localhost'], environment);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: The base URL .* must be an http\(s\) URL.*\n$/);
  });

  it('accepts no option for the key', async () => {
    const { run } = await startCommand();
    for (const option of ['--key', '--api-key'])
      expect(await run('endpoints', 'list', option, 'k')).toMatchObject({ exitCode: 2 });
  });
});

describe('wrong usage', () => {
  it.each([
    [['frobnicate'], /^error: unknown command 'frobnicate'\n$/],
    [['operations', 'list', '--limit', 'ten'], /^error: option '--limit <count>'.*whole number above 0\.\n$/],
    [['operations', 'list', '--sideways'], /^error: unknown option '--sideways'\n$/],
    [['operations', 'get'], /^error: missing required argument 'operation'\n$/],
    [['operations', 'wait', '--timeout', '0'], /^error: option '-t, --timeout <seconds>'.*above 0.*\n$/],
    [
      ['operations', 'wait', 'op-1', '--endpoint', 'ep-1'],
      /^error: Give either an operation ID or --endpoint.*\n$/,
    ],
    [
      ['import-file', '--endpoint', 'ep-1', '--branch', 'br-1'],
      /^error: Give either --endpoint or --branch.*\n$/,
    ],
  ])('refuses %j with exit code 2 and one sentence', async (words, sentence) => {
    const { run } = await startCommand();
    expect(await run(...words)).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('the command and a failing service', () => {
  it('exits with 4 when the service is unreachable', async () => {
    const { run } = await startCommand();
    const { exitCode, stderr } = await run('endpoints', 'list', '--base-url', 'http://127.0.0.1:1/api/v2');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(
      /^error: GET \/projects\/\S+\/endpoints: no usable response: connection refused\. The base URL is set in --base-url\.\n$/,
    );
  });

  it('exits with 4 when the key is wrong, and does not show the key', async () => {
    const { environment } = await startCommand();
    const key = 'canary-key';
    const end = await runWith(['endpoints', 'list'], { ...environment, POSTGRES_COMPUTE_API_KEY: key });
    expect(end).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('401 Unauthorized') });
    expect(end.stderr).not.toContain(key);
  });

  it('redacts the key when the service repeats it', async () => {
    const { run, emulator } = await startCommand();
    const message = `the key ${emulator.apiKey} is blocked`;
    emulator.inject({ match: {}, effect: { kind: 'status', status: 403, message } });
    expect((await run('endpoints', 'list')).stderr).toContain(
      '403 Forbidden [INJECTED_FAULT]: the key *** is blocked',
    );
  });

  it('escapes control characters of the service', async () => {
    const { run, emulator, primary } = await startCommand();
    emulator.changeEndpoint(primary.id, { name: 'a\u001b[2Jb' });
    expect((await run('endpoints', 'list')).stdout).toContain('a\\u001b[2Jb');
    expect((await run('endpoints', 'get', primary.id)).stdout).not.toContain('\u001b');
  });
});

describe('the colours of the command', () => {
  it('colours output on a terminal', async () => {
    const { runOnTerminal } = await startCommand();
    expect((await runOnTerminal(['operations', 'list'])).stdout).toContain('\u001b[32mOK');
    expect((await runOnTerminal(['endpoints', 'get', 'ep-none'])).stderr).toContain('\u001b[31merror:');
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('uses no colours with %j', async (environment) => {
    const { runOnTerminal } = await startCommand();
    expect((await runOnTerminal(['operations', 'list'], environment)).stdout).not.toContain('\u001b');
    expect((await runOnTerminal(['endpoints', 'get', 'ep-none'], environment)).stderr).not.toContain(
      '\u001b',
    );
  });

  it('uses no colours without a terminal', async () => {
    const { run } = await startCommand();
    expect((await run('operations', 'list')).stdout).not.toContain('\u001b');
  });
});
