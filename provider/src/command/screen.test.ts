import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { Screen } from './screen';

/** A screen of a user whose key is canary-key, and what was written to it. */
function makeScreen(environment: NodeJS.ProcessEnv = { POSTGRES_COMPUTE_API_KEY: ' canary-key\n' }) {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const screen = new Screen(stdout, stderr, environment);
  return { screen, printed: () => String(stdout.read()), said: () => String(stderr.read()) };
}

describe('Screen', () => {
  it('waits while the reader of a long result is slow', async () => {
    const stdout = new PassThrough({ encoding: 'utf8', highWaterMark: 16 });
    const screen = new Screen(stdout, new PassThrough(), {});
    let isPrinted = false;
    const printing = screen.print('x'.repeat(100)).then(() => {
      isPrinted = true;
    });
    await new Promise(setImmediate);
    expect(isPrinted).toBe(false);
    expect(stdout.read()).toBe(`${'x'.repeat(100)}\n`);
    await printing;
  });

  it('prints JSON with invisible characters escaped, of the same value', async () => {
    const { screen, printed } = makeScreen();
    const value = { id: 'ep-1', name: 'a\u001b[2J\u202e##[error]' };
    await screen.printJson(value);
    const text = printed();
    expect(text).toBe('{\n  "id": "ep-1",\n  "name": "a\\u001b[2J\\u202e\\u0023#[error]"\n}\n');
    expect(JSON.parse(text)).toEqual(value);
  });

  it('redacts the key in JSON, even with escaped characters', async () => {
    const { screen, printed } = makeScreen({ POSTGRES_COMPUTE_API_KEY: 'can"ary\\key' });
    await screen.printJson({ error: 'bad key can"ary\\key' });
    expect(JSON.parse(printed())).toEqual({ error: 'bad key ***' });
  });

  it('writes messages and errors in one line, without key and controls', () => {
    const { screen, said } = makeScreen();
    screen.say('::error::canary-key\nand \u001b[2J');
    screen.sayError('canary-key\u0007 is wrong\r\n##[error]');
    expect(said()).toBe('\\u003a:error::*** and \\u001b[2J\nerror: ***\\u0007 is wrong \\u0023#[error]\n');
  });

  it('redacts the key in progress', () => {
    const { screen, said } = makeScreen();
    screen.progress.showOperations([operationOf({ action: 'canary-key' })]);
    expect(said()).toBe('op-1 ***: In progress\n');
  });
});
