import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Screen } from './screen';

it('a long result waits for a reader that is slow, so that it is not kept in memory', async () => {
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
