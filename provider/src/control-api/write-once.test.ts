import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ControlApiError } from './control-api-error';
import { Deadline } from './deadline';
import { notSentCode } from './failure-meaning';
import { makeWriteOnce, type WriteOnce } from './write-once';

const pacing = { baseMs: 1, capMs: 2, unreachableMs: 10 };
const failure = (status: number | undefined) =>
  new ControlApiError({ method: 'POST', path: '/endpoints', status, reason: 'no response' });

/** A service that responds to each request and each lookup with the next of these; an Error is thrown. */
function scriptOf(
  responses: (string | Error)[],
  lookups: (string | Error | undefined)[],
  change: Partial<WriteOnce<string>> = {},
) {
  const calls: string[] = [];
  const write = makeWriteOnce<string>({
    deadline: new Deadline(10_000),
    pacing,
    ...change,
    send: async () => {
      calls.push('send');
      const response = responses.shift() ?? 'sent';
      if (response instanceof Error) throw response;
      return response;
    },
    findDone: async () => {
      calls.push('look up');
      // A pause until the deadline may end a moment too early.
      await sleep(5);
      const found = lookups.shift();
      if (found instanceof Error) throw found;
      return found;
    },
  });
  return { calls, write };
}

describe('makeWriteOnce', () => {
  it('sends a write once, without a lookup, when the response arrives', async () => {
    const { calls, write } = scriptOf(['made'], []);
    expect([await write(), calls]).toEqual(['made', ['send']]);
  });

  it.each([200, 408, 500, 502, 504, undefined])(
    'is looked up after an unknown outcome (status %s), not sent again',
    async (status) => {
      const { calls, write } = scriptOf([failure(status)], ['found']);
      expect([await write(), calls]).toEqual(['found', ['send', 'look up']]);
    },
  );

  it('sends a write again if the lookup proves that nothing happened', async () => {
    const { calls, write } = scriptOf([failure(500), 'made'], [undefined]);
    expect([await write(), calls]).toEqual(['made', ['send', 'look up', 'send']]);
  });

  it('sends a write again without a lookup after a 423', async () => {
    const { calls, write } = scriptOf([failure(423), 'made'], []);
    await expect(write()).rejects.toThrow('423 Locked');
    expect([await write(), calls]).toEqual(['made', ['send', 'send']]);
  });

  it('looks up a write if a response was lost before the lock', async () => {
    const { calls, write } = scriptOf([failure(500), failure(423)], [undefined, 'found']);
    await expect(write()).rejects.toThrow('423 Locked');
    expect([await write(), calls]).toEqual(['found', ['send', 'look up', 'send', 'look up']]);
  });

  it.each([400, 401, 404, 409, 422, 501])(
    'fails at once when the service refuses the write with %d',
    async (status) => {
      const { calls, write } = scriptOf([failure(status)], []);
      await expect(write()).rejects.toThrow(String(status));
      expect(calls).toEqual(['send']);
    },
  );

  it('reports a request that may have done the work, and no other', async () => {
    const { calls, write } = scriptOf([failure(423), failure(500), failure(423)], [], {
      onLost: () => calls.push('lost'),
    });
    await expect(write()).rejects.toThrow('423');
    await expect(write()).rejects.toThrow('423');
    expect(calls).toEqual(['send', 'send', 'lost', 'look up', 'send']);
  });

  it('fails at the deadline after a lost response, looks up when repeated', async () => {
    const { calls, write } = scriptOf([failure(500)], ['found'], { deadline: new Deadline(0) });
    await expect(write()).rejects.toThrow('500');
    expect([await write(), calls]).toEqual(['found', ['send', 'look up']]);
  });

  it('fails with the unknown outcome if the rate limiter holds the next one', async () => {
    const notSent = new ControlApiError({
      method: 'POST',
      path: '/endpoints',
      code: notSentCode,
      reason: '',
    });
    const { calls, write } = scriptOf([failure(500), notSent], [undefined]);
    await expect(write()).rejects.toThrow('500 Internal Server Error');
    expect(calls).toEqual(['send', 'look up', 'send']);
  });

  it('fails with the unknown outcome if the deadline cuts off the lookup', async () => {
    const cutOff = new Error('list: no response within 0 s');
    const { write } = scriptOf([failure(500)], [cutOff], { deadline: new Deadline(4) });
    await expect(write()).rejects.toThrow('500 Internal Server Error');
  });

  it('looks up once more at the deadline, then fails as unknown', async () => {
    const { calls, write } = scriptOf([failure(500)], [undefined], {
      deadline: new Deadline(50),
      // The next try would come after the deadline.
      pacing: { ...pacing, baseMs: 1e12, capMs: 1e12 },
    });
    await expect(write()).rejects.toThrow('500 Internal Server Error');
    expect(calls).toEqual(['send', 'look up']);
  });
});
