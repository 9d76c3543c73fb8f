import { expect, it } from 'vitest';
import { ControlApiError } from './control-api-error';
import { Deadline } from './deadline';
import { makeWriteOnce, type WriteOnce } from './write-once';

const pacing = { baseMs: 1, capMs: 2, unreachableMs: 10 };
const failure = (status: number | undefined) =>
  new ControlApiError({ method: 'POST', path: '/endpoints', status, reason: 'no answer' });

/** A service that answers each send and each look with the next of these; an Error is thrown. */
function scriptOf(
  sends: (string | Error)[],
  looks: (string | undefined)[],
  change: Partial<WriteOnce<string>> = {},
) {
  const calls: string[] = [];
  const write = makeWriteOnce<string>({
    deadline: new Deadline(10_000),
    pacing,
    ...change,
    send: async () => {
      calls.push('send');
      const answer = sends.shift() ?? 'sent';
      if (answer instanceof Error) throw answer;
      return answer;
    },
    look: async () => {
      calls.push('look');
      return looks.shift();
    },
  });
  return { calls, write };
}

it('sends once, without a look, when the answer arrives', async () => {
  const { calls, write } = scriptOf(['made'], []);
  expect([await write(), calls]).toEqual(['made', ['send']]);
});

it.each([500, 502, 504, undefined])(
  'looks after an answer lost as %s, and takes what it finds',
  async (status) => {
    const { calls, write } = scriptOf([failure(status)], ['found']);
    expect([await write(), calls]).toEqual(['found', ['send', 'look']]);
  },
);

it('sends again when the look proves that nothing happened', async () => {
  const { calls, write } = scriptOf([failure(500), 'made'], [undefined]);
  expect([await write(), calls]).toEqual(['made', ['send', 'look', 'send']]);
});

it('sends again without a look when the project was locked: nothing was done', async () => {
  const { calls, write } = scriptOf([failure(423), 'made'], []);
  await expect(write()).rejects.toThrow('423 Locked');
  expect([await write(), calls]).toEqual(['made', ['send', 'send']]);
});

it('looks first when an answer got lost before the lock', async () => {
  const { calls, write } = scriptOf([failure(500), failure(423)], [undefined, 'found']);
  await expect(write()).rejects.toThrow('423 Locked');
  expect([await write(), calls]).toEqual(['found', ['send', 'look', 'send', 'look']]);
});

it.each([400, 401, 404, 409, 422])('gives up at once on a refusal with %d', async (status) => {
  const { calls, write } = scriptOf([failure(status)], []);
  await expect(write()).rejects.toThrow(String(status));
  expect(calls).toEqual(['send']);
});

it('looks first, though no answer got lost, while a look is due', async () => {
  let isDue = true;
  const { calls, write } = scriptOf([], [undefined], { isLookDue: () => isDue });
  expect([await write(), calls]).toEqual(['sent', ['look', 'send']]);
  isDue = false;
  expect([await write(), calls]).toEqual(['sent', ['look', 'send', 'send']]);
});

it('gives up when an answer got lost and the deadline has passed, and looks first when it is called again', async () => {
  const { calls, write } = scriptOf([failure(500)], ['found'], { deadline: new Deadline(0) });
  await expect(write()).rejects.toThrow('500');
  expect([await write(), calls]).toEqual(['found', ['send', 'look']]);
});
