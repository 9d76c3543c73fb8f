import { describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import type { Operation } from '../control-api/wire-types';
import { defaultPollPacing, PollSchedule } from './poll-schedule';

const start = Date.parse('2026-01-01T00:00:00Z');

useFakeClock(start);

let count = 0;

/** An operation of its own, of an endpoint of its own. */
function newOperation(change: Partial<Operation> = {}): Operation {
  count += 1;
  return operationOf({ id: `op-${count}`, endpoint_id: `ep-${count}`, ...change });
}

/** An operation that has finished long ago. */
function finishedIn(durationMs: number, change: Partial<Operation> = {}): Operation {
  const createdAt = start - 3_600_000;
  return newOperation({
    status: 'finished',
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(createdAt + durationMs).toISOString(),
    ...change,
  });
}

/** When an operation is polled, in milliseconds after its start, until the last poll is at or past its end. */
async function pollsAt(pace: PollSchedule, durationMs: number, operations = [newOperation()]) {
  const polls: number[] = [];
  while ((polls.at(-1) ?? 0) < durationMs) {
    await vi.advanceTimersByTimeAsync(pace.intervalMs(operations));
    polls.push(Date.now() - start);
  }
  return polls.map(Math.round);
}

function paceThatKnows(...operations: Operation[]): PollSchedule {
  const pace = new PollSchedule(defaultPollPacing);
  pace.learn(operations);
  return pace;
}

const fiveSeconds = [4_000, 4_500, 5_000, 5_500, 6_000].map((durationMs) => finishedIn(durationMs));

describe('PollSchedule without earlier durations', () => {
  it('polls at 9.5 % of the time waited, at least 240 ms apart', async () => {
    const polls = await pollsAt(new PollSchedule(defaultPollPacing), 5_000);
    expect(polls.slice(0, 11)).toEqual([480, 720, 960, 1200, 1440, 1680, 1920, 2160, 2400, 2640, 2890]);
    expect(polls.slice(11)).toEqual([3165, 3466, 3795, 4155, 4550, 4983, 5456]);
  });

  it('follows the youngest of few operations, and of many the oldest', async () => {
    const pace = new PollSchedule(defaultPollPacing);
    const first = newOperation();
    await pollsAt(pace, 60_000, [first]);
    const interval = pace.intervalMs([first]);
    expect(interval).toBe(5_000);
    expect(pace.intervalMs([first], [newOperation()])).toBe(480);
    expect(pace.intervalMs([first], ...Array.from({ length: 9 }, () => [newOperation()]))).toBe(interval);
  });

  it('polls at most every 5 s', async () => {
    const polls = await pollsAt(new PollSchedule(defaultPollPacing), 300_000);
    expect((polls.at(-1) ?? 0) - (polls.at(-2) ?? 0)).toBe(5_000);
  });
});

describe('PollSchedule with earlier durations', () => {
  it('polls first when an end is likely, then frequently', async () => {
    const polls = await pollsAt(paceThatKnows(...fiveSeconds), 5_000);
    expect(polls).toEqual([4040, 4200, 4545, 4725, 5050]);
  });

  it('finds the end of one that takes as long as the others by one poll', async () => {
    const alike = [2_000, 2_005, 2_010, 2_015, 2_020].map((durationMs) => finishedIn(durationMs));
    expect(await pollsAt(paceThatKnows(...alike), 2_010)).toEqual([2_020]);
  });

  it.each([
    [1, 2_020],
    [10, 2_080],
  ])('polls later where each poll finds some of many that end: %d, %d ms', (count, firstMs) => {
    const alike = Array.from({ length: 5 }, () => finishedIn(2_000));
    const awaited = Array.from({ length: count }, () => newOperation());
    expect(paceThatKnows(...alike).intervalMs(awaited)).toBeCloseTo(firstMs);
  });

  it('continues as without earlier durations after the longest one', async () => {
    const polls = await pollsAt(paceThatKnows(...fiveSeconds), 9_000);
    expect((polls.at(-1) ?? 0) - (polls.at(-2) ?? 0)).toBeGreaterThan(700);
  });

  it('polls every 5 s while the likely end is far', async () => {
    const polls = await pollsAt(paceThatKnows(finishedIn(20_000), finishedIn(20_000)), 18_000);
    expect(polls.slice(0, 4)).toEqual([5_000, 10_000, 15_000, 17_800]);
  });

  it('polls at once for operations that take almost no time', async () => {
    expect(await pollsAt(paceThatKnows(finishedIn(2), finishedIn(3)), 2)).toEqual([25]);
  });

  it('polls around each of the earlier durations in turn', async () => {
    const polls = await pollsAt(paceThatKnows(finishedIn(0), finishedIn(1_000), finishedIn(4_000)), 4_000);
    expect(polls).toEqual([24, 890, 930, 970, 1010, 1050, 1090, 1130, 1170, 3560, 3720, 3880, 4040]);
  });

  it.each([
    [1, 3_560],
    [4, 3_560],
    [5, 4_040],
  ])('with %d earlier operations of 4 s, polls first after %d ms', (known, firstMs) => {
    const alike = Array.from({ length: known }, () => finishedIn(4_000));
    expect(paceThatKnows(...alike).intervalMs([newOperation()])).toBeCloseTo(firstMs);
  });

  it('ignores earlier operations of other actions', async () => {
    const pace = paceThatKnows(finishedIn(5_000, { action: 'apply_config' }));
    expect(await pollsAt(pace, 400)).toEqual([480]);
  });

  it('ignores earlier operations that failed: they say nothing about success', async () => {
    const pace = paceThatKnows(finishedIn(5_000, { status: 'failed' }));
    expect(await pollsAt(pace, 400)).toEqual([480]);
  });
});

describe('PollSchedule for a chain of operations', () => {
  it('counts each duration from the end of the previous operation', async () => {
    const of = { endpoint_id: 'ep-chain' };
    // Newest first, as the service lists them.
    const pace = paceThatKnows(
      finishedIn(6_000, { ...of, action: 'start_compute' }),
      finishedIn(1_000, { ...of, action: 'apply_config' }),
    );
    expect((await pollsAt(pace, 4_000, [newOperation()]))[0]).toBe(4_450);
  });

  it('follows the running operation, not those scheduled behind it', async () => {
    const pace = paceThatKnows(
      finishedIn(10_000, { action: 'apply_config' }),
      finishedIn(1_000, { action: 'suspend_compute' }),
    );
    const chain = [
      newOperation({ action: 'apply_config' }),
      newOperation({ action: 'suspend_compute', status: 'scheduling' }),
    ];
    expect(pace.intervalMs(chain)).toBe(5_000);
  });

  it('follows a chain that is only scheduled beside one that runs', () => {
    const pace = paceThatKnows(finishedIn(10_000, { action: 'apply_config' }), finishedIn(1_000));
    const running = newOperation({ action: 'apply_config' });
    expect(pace.intervalMs([running], [newOperation({ status: 'scheduling' })])).toBe(890);
  });

  it('follows the operation with the earliest likely end while none runs', () => {
    const pace = paceThatKnows(finishedIn(10_000));
    expect(pace.intervalMs([newOperation({ status: 'scheduling' })])).toBe(5_000);
  });
});

it('PollSchedule forgets the start of a finished operation', async () => {
  const pace = new PollSchedule(defaultPollPacing);
  const operation = newOperation({ action: 'apply_config' });
  await pollsAt(pace, 10_000, [operation]);
  // Another action, so that its duration does not predict the next one.
  pace.learn([{ ...operation, status: 'finished', action: 'suspend_compute' }]);
  expect(pace.intervalMs([operation])).toBe(480);
});
