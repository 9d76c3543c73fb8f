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

describe('a screen', () => {
  it('keeps a long result out of memory while its reader is slow', async () => {
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

  it('prints a result without the key, and with its line breaks', async () => {
    const { screen, printed } = makeScreen();
    await screen.print('one canary-key\ntwo');
    expect(printed()).toBe('one ***\ntwo\n');
  });

  it('prints JSON that is the same value to a parser, with every character visible', async () => {
    const { screen, printed } = makeScreen();
    const value = { id: 'ep-1', name: 'a\u001b[2J\u202e##[error]' };
    await screen.printJson(value);
    const text = printed();
    expect(text).toBe('{\n  "id": "ep-1",\n  "name": "a\\u001b[2J\\u202e\\u0023#[error]"\n}\n');
    expect(JSON.parse(text)).toEqual(value);
  });

  it('prints JSON without the key, also where JSON escapes its characters', async () => {
    const { screen, printed } = makeScreen({ POSTGRES_COMPUTE_API_KEY: 'can"ary\\key' });
    await screen.printJson({ error: 'bad key can"ary\\key' });
    expect(JSON.parse(printed())).toEqual({ error: 'bad key ***' });
  });

  it('says a sentence in one line, without the key and without control characters', () => {
    const { screen, said } = makeScreen();
    screen.say('::error::canary-key\nand \u001b[2J');
    expect(said()).toBe('\\u003a:error::*** and \\u001b[2J\n');
  });

  it('says an error in one line, without the key and without control characters', () => {
    const { screen, said } = makeScreen();
    screen.sayError('canary-key\u0007 is wrong\r\n##[error]');
    expect(said()).toBe('error: ***\\u0007 is wrong \\u0023#[error]\n');
  });

  it('shows progress without the key', () => {
    const { screen, said } = makeScreen();
    screen.progress.showOperations([operationOf({ action: 'canary-key' })]);
    expect(said()).toBe('op-1 ***: In progress\n');
  });

  it('prints what it is given when the environment holds no key', async () => {
    const { screen, printed } = makeScreen({});
    await screen.print('canary-key');
    expect(printed()).toBe('canary-key\n');
  });
});
