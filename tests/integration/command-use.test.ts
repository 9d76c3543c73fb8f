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

it.each(everyCommand)('"%s --help" shows valid examples, variables, exit codes', async (command) => {
  const { exitCode, stdout, stderr } = await helpOf(command);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain("can't read the config of a Pulumi stack");
  expect(stdout).toContain('POSTGRES_COMPUTE_API_KEY');
  expect(stdout).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}130 /);
  const environment = {
    POSTGRES_COMPUTE_API_KEY: 'key',
    POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1/api/v2',
    POSTGRES_COMPUTE_PROJECT: 'p-1',
  };
  const examples = examplesOf(stdout);
  expect(examples).not.toEqual([]);
  // Only the service is missing, so a valid example fails to connect.
  for (const example of examples)
    expect([example, await runWith(example, environment)]).toEqual([
      example,
      expect.objectContaining({ exitCode: 4, stderr: expect.stringContaining('connection refused') }),
    ]);
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
});

describe('wrong usage', () => {
  it.each([
    [['frobnicate'], /^error: unknown command 'frobnicate'\n$/],
    [['operations', 'list', '--limit', 'ten'], /^error: option '--limit <count>'.*whole number above 0\.\n$/],
    [['endpoints', 'list', '--api-key', 'k'], /^error: unknown option '--api-key'\n$/],
    [['endpoints', 'list', '--base-url', 'localhost'], /^error: The base URL .* must be an http.*\n$/],
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

it('control characters of the service never reach the terminal', async () => {
  const { run, emulator, project, branch, primary } = await startCommand();
  const name = 'a\u001b[2Jb';
  emulator.changeEndpoint(primary.id, { name });
  emulator.changeBranch(project.id, branch.id, { name });
  const { id } = emulator.createProject({ name });
  for (const words of [
    `endpoints get ${primary.id}`,
    'endpoints list',
    'branches list',
    'projects list',
    `projects get ${id}`,
  ])
    expect((await run(...words.split(' '))).stdout).toContain('a\\u001b[2Jb');
});

it.each([
  ['on a terminal', true, {}, true],
  ['with NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['on a dumb terminal', true, { TERM: 'dumb' }, false],
  ['without a terminal', false, {}, false],
])('the colours of the command: %s', async (_where, isTTY, more, isColoured) => {
  const { environment } = await startCommand();
  const run = (...words: string[]) => runWith(words, { ...environment, ...more }, { isTTY });
  expect((await run('operations', 'list')).stdout.includes('\u001b[32mOK')).toBe(isColoured);
  expect((await run('endpoints', 'get', 'ep-none')).stderr.includes('\u001b')).toBe(isColoured);
});
