import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestBudget, type RequestLimits } from './request-budget';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

const wide: RequestLimits = { perMinute: 1_000, perSecondOnRoute: 1_000 };

/** When each of the requests is sent, in seconds; all are asked for at once. */
async function sendingTimes(budget: RequestBudget, routes: readonly string[]): Promise<number[]> {
  const times = routes.map((route) =>
    budget.send(route, !route.startsWith('GET'), async () => Date.now() / 1000),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return Promise.all(times);
}

const repeat = (count: number, route: string) => Array.from({ length: count }, () => route);

it('sends at once what is within the limits', async () => {
  const times = await sendingTimes(new RequestBudget(), repeat(40, 'GET /a'));
  expect(new Set(times)).toEqual(new Set([0]));
});

it('never sends more in any minute than the account may', async () => {
  const budget = new RequestBudget({ ...wide, perMinute: 10 });
  expect(await sendingTimes(budget, repeat(25, 'GET /a'))).toEqual([
    ...Array(10).fill(0),
    ...Array(10).fill(60),
    ...Array(5).fill(120),
  ]);
});

it('counts the minute from each request, not from fixed points', async () => {
  const budget = new RequestBudget({ ...wide, perMinute: 2 });
  await budget.send('GET /a', false, async () => undefined);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(await sendingTimes(budget, repeat(3, 'GET /a'))).toEqual([50, 60, 110]);
});

it('counts a request at its end, as it may have arrived at the service only then', async () => {
  const budget = new RequestBudget({ ...wide, perMinute: 2 });
  const slow = budget.send('GET /a', false, () => new Promise((resolve) => setTimeout(resolve, 5_000)));
  const failing = budget.send('GET /a', false, () => Promise.reject(new Error('reset')));
  await expect(failing).rejects.toThrow('reset');
  expect(await sendingTimes(budget, repeat(3, 'GET /a'))).toEqual([60, 65, 120]);
  await slow;
});

it('never sends more in any second on a route than the service takes, and other routes go on', async () => {
  const budget = new RequestBudget({ ...wide, perSecondOnRoute: 2 });
  expect(await sendingTimes(budget, [...repeat(5, 'POST /a'), 'POST /b'])).toEqual([0, 0, 1, 1, 2, 0]);
});

it('lets writes go before reads that came earlier', async () => {
  const budget = new RequestBudget({ ...wide, perMinute: 1 });
  expect(await sendingTimes(budget, ['GET /a', 'GET /a', 'POST /b', 'DELETE /b'])).toEqual([0, 180, 60, 120]);
});

it('sends nothing for as long as the service asks', async () => {
  const budget = new RequestBudget(wide);
  budget.pause(7_000);
  budget.pause(0);
  expect(await sendingTimes(budget, ['GET /a', 'POST /b'])).toEqual([7, 7]);
});
