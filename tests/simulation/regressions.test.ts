import { expect, it } from 'vitest';
import type { Violation } from './rules/rules';
import { type Outcome, Simulator } from './run/simulate';
import { uneventful } from './scenario/draw-rounds';
import { drawScenario } from './scenario/draw-scenario';
import { plainSlot as plan } from './scenario/plain-slot';
import type { Scenario } from './scenario/scenario';

// Schedules that once broke an invariant, as data.

const drawn = drawScenario(1).value;

const calm = { ...uneventful, slots: [plan] };

type Round = Scenario['rounds'][number];

/** A scenario of these rounds. By default, a round declares one `read_write` endpoint, and nothing goes wrong in it. */
function scenarioWith(service: Scenario['service'], ...rounds: readonly Partial<Round>[]): Scenario {
  return {
    ...drawn,
    service,
    requestsPerMinute: undefined,
    longestPage: undefined,
    longestDelayMs: 1,
    timeoutSeconds: 600,
    rounds: rounds.map((round) => ({ ...calm, ...round })),
  };
}

async function simulate(scenario: Scenario): Promise<Outcome> {
  const simulator = new Simulator();
  simulator.install();
  try {
    return await simulator.run(scenario);
  } finally {
    simulator.uninstall();
  }
}

/** What goes wrong in the schedules of a scenario, one for each seed. */
async function violationsOf(
  scenario: Scenario,
  seeds: readonly number[],
  longestDelayMs = 20,
): Promise<readonly Violation[]> {
  const outcomes: Outcome[] = [];
  for (const seed of seeds) outcomes.push(await simulate({ ...scenario, seed, longestDelayMs }));
  return outcomes.flatMap(({ violations }) => violations);
}

const seedsUpTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

it('a create waits for its slow last list', async () => {
  const slowLists = {
    match: { method: 'GET', path: '/projects/:p/endpoints' },
    times: 3,
    effect: { kind: 'slow', delayMs: 20_000 },
  } as const;
  const scenario = scenarioWith({ operationMs: 100 }, { faults: [slowLists] });
  const { violations, counts } = await simulate(scenario);
  expect(violations).toEqual([]);
  expect(counts.get('failed runs') ?? 0).toBe(0);
});

it('a create of a replica that waited for the lock skips the read lag', async () => {
  const lock = { at: 0, what: 'lock the project', slot: 0, type: 'read_only', name: 'own' } as const;
  const scenario = scenarioWith(
    { operationMs: 3_000, locks: 'project' },
    {
      slots: [{ ...plan, type: 'read_only' }],
      disturbances: [{ ...lock, status: 'running', forMs: 8_000 }],
    },
  );
  const { violations, counts } = await simulate({ ...scenario, timeoutSeconds: 20 });
  expect(violations).toEqual([]);
  expect(counts.get('failed runs') ?? 0).toBe(0);
});

const notWaiting = { ...plan, isWaiting: false } as const;
const failingSuspension = {
  match: { action: 'suspend_compute' },
  times: 1,
  effect: { kind: 'operation-fails', status: 'failed' },
} as const;
const failingStart = { ...failingSuspension, match: { action: 'start_compute' } } as const;
const failingConfig = { ...failingSuspension, match: { action: 'apply_config' } } as const;
const hiddenPatch = {
  match: { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  times: 1,
  effect: { kind: 'proxy-page', status: 404, when: 'after-work' },
} as const;
const refusedPatch = { ...hiddenPatch, effect: { kind: 'status', status: 422 } } as const;
/** A forced replacement keeps it. */
const keptReplica = { ...plan, type: 'read_only', createsBeforeDelete: true } as const;
const forcedReplacement = { slot: 0, how: '--replace' } as const;

const listOfEndpoints = { method: 'GET', path: '/projects/:p/endpoints' } as const;
const listOfOperations = { method: 'GET', path: '/projects/:p/operations' } as const;

it('a sent restart is not repeated for its earlier failed suspension', async () => {
  // The next run does not see the failed operation yet, and sends the restart again.
  const scenario = scenarioWith(
    { operationMs: 0, lateGetsMs: 500 },
    { slots: [notWaiting] },
    { slots: [{ ...notWaiting, trigger: 'a' }], faults: [failingSuspension] },
  );
  const { violations } = await simulate(scenario);
  expect(violations).toEqual([]);
});

it('starts the compute when its suspension fails during a read', async () => {
  // The next run may see the suspension running, and the start cancelled.
  const scenario = scenarioWith(
    { operationMs: 100 },
    { slots: [notWaiting] },
    { slots: [{ ...notWaiting, size: [0.25, 0.25] }], faults: [failingSuspension] },
  );
  for (const seed of [2, 9, 10]) {
    const { violations } = await simulate({ ...scenario, seed, longestDelayMs: 200 });
    expect(violations).toEqual([]);
  }
});

it.each([1, 1_000])('resumes a failed start after an interrupted take-over, lag %d ms', async (lateMs) => {
  const scenario = scenarioWith(
    { operationMs: 0, schedulingMs: 0, locks: 'project', normalizeSettings: true, requestsPerMinute: 0 },
    {
      slots: [{ ...plan, size: [0.25, 0.25], isWaiting: false }],
      // The response to the create is lost. Ctrl-C comes while its operations are looked up.
      faults: [
        {
          match: { action: 'start_compute' },
          times: 1,
          effect: { kind: 'operation-fails', status: 'failed' },
        },
        {
          match: { method: 'POST', path: '/projects/:p/endpoints' },
          times: 1,
          effect: { kind: 'malformed' },
        },
        {
          match: listOfOperations,
          times: 1,
          effect: { kind: 'late-read', lateMs },
        },
      ],
      mishap: { counts: 'events', kind: 'Ctrl-C', at: 13, lingerMs: 0 },
      isRunTwice: true,
      isRepeated: true,
      isGuarded: true,
      refreshesBetween: true,
      isPreviewed: true,
      refreshesAfter: true,
    },
  );
  const { violations } = await simulate({ ...scenario, longestDelayMs: 20 });
  expect(violations).toEqual([]);
});

it('a create does not keep the duplicate that it deleted', async () => {
  const slot = { ...plan, type: 'read_only', createsBeforeDelete: true } as const;
  const lists = { method: 'GET', path: '/projects/:p/endpoints' };
  const endpoints = '/projects/:p/endpoints/:e';
  // The create does not see its tainted predecessor at first. It then deletes its own endpoint, and does not see the end.
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [slot] },
    {
      slots: [slot],
      forced: [{ slot: 0, how: 'taint' }],
      faults: [
        { match: lists, times: 1, effect: { kind: 'late-read', lateMs: 400 } },
        { match: { method: 'DELETE', path: endpoints }, times: 1, effect: { kind: 'slow', delayMs: 20_000 } },
      ],
    },
  );
  const { violations } = await simulate({ ...scenario, timeoutSeconds: 20 });
  expect(violations).toEqual([]);
});

it('a create that adopts an orphan leaves no duplicate of its own', async () => {
  const slot = { ...plan, type: 'read_only', size: [0.25, 0.25], isWaiting: false } as const;
  const path = '/projects/:p/endpoints';
  const scenario = scenarioWith(
    { operationMs: 0, schedulingMs: 0, locks: 'none', normalizeSettings: true, requestsPerMinute: 0 },
    {
      slots: [slot],
      mishap: { counts: 'writes', kind: 'kill of CLI and host', at: 2, lingerMs: 0 },
      isRunTwice: true,
      isRepeated: true,
      isGuarded: true,
      disturbances: [
        {
          at: 1,
          what: 'lock the project',
          slot: 0,
          type: 'read_write',
          name: 'a',
          status: 'running',
          forMs: 200,
        },
      ],
      refreshesBetween: true,
      refreshesAfter: true,
      faults: [
        { match: { method: 'GET', path }, times: 4, effect: { kind: 'late-read', lateMs: 2017 } },
        {
          match: { method: 'POST', path },
          times: 2,
          effect: { kind: 'proxy-page', status: 200, when: 'after-work' },
        },
      ],
    },
  );
  const { violations } = await simulate({
    ...scenario,
    seed: 0,
    longestDelayMs: 20,
    secondStackFrom: 1,
  });
  expect(violations).toEqual([]);
});

it('the next create finds the orphan of a killed replacement', async () => {
  const replica = { ...keptReplica, isWaiting: false } as const;
  const deletion = {
    what: 'delete an endpoint',
    slot: 0,
    type: 'read_only',
    name: 'a',
    status: 'running',
    forMs: 200,
  } as const;
  // At some of these events the request has been sent, and the endpoint is not in state yet.
  for (const at of [4, 5, 6, 7, 8, 9, 10]) {
    const scenario = scenarioWith(
      { operationMs: 0 },
      { slots: [{ ...replica, project: 1 }] },
      {
        slots: [replica],
        disturbances: [{ ...deletion, at: 2 }],
        mishap: { counts: 'events', kind: 'kill of CLI and host', at, lingerMs: 0 },
        refreshesBetween: true,
      },
    );
    const { violations } = await simulate(scenario);
    expect(violations).toEqual([]);
  }
});

it('a repeated update restarts once, even if its start hangs', async () => {
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [{ ...plan, size: [0.25, 0.25] }] },
    {
      isRepeated: true,
      faults: [
        { match: { action: 'start_compute' }, times: 1, effect: { kind: 'operation-hangs' } },
        {
          match: { action: 'apply_config' },
          times: 1,
          effect: { kind: 'operation-fails', status: 'failed' },
        },
      ],
    },
  );
  const { violations } = await simulate({ ...scenario, timeoutSeconds: 20 });
  expect(violations).toEqual([]);
});

it("a create whose duplicate's delete hangs leaves the older endpoint", async () => {
  for (const at of [3, 4, 5, 6]) {
    const scenario = scenarioWith(
      { operationMs: 0, locks: 'project', lateListsMs: 500 },
      {
        slots: [{ ...notWaiting, type: 'read_only' }],
        mishap: { counts: 'events', kind: 'kill of the host', at, lingerMs: 0 },
        isRepeated: true,
        refreshesBetween: true,
        faults: [{ match: { action: 'suspend_compute' }, times: 1, effect: { kind: 'operation-hangs' } }],
      },
    );
    expect(await violationsOf({ ...scenario, timeoutSeconds: 20 }, [0, 1, 2])).toEqual([]);
  }
});

it('a lost response does not make an earlier operation its own', async () => {
  const failing = { kind: 'operation-fails', status: 'failed' } as const;
  const lost = { kind: 'status', status: 408, when: 'after-work' } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { isRepeated: true, faults: [{ match: { action: 'start_compute' }, times: 1, effect: failing }] },
    {
      slots: [{ ...plan, workMem: '8MB' }],
      faults: [{ match: { method: 'PATCH', path: '/**' }, times: 1, effect: lost }],
    },
  );
  const { violations } = await simulate(scenario);
  expect(violations).toEqual([]);
});

it('a stale read does not replace an endpoint without allowRestart', async () => {
  for (const lateMs of [20, 40, 80, 200, 4_000]) {
    const late = { kind: 'late-read', lateMs } as const;
    const scenario = scenarioWith(
      { operationMs: 0 },
      { slots: [{ ...plan, project: 1 }] },
      { isGuarded: true, faults: [{ match: { method: 'GET', path: '/**' }, times: 2, effect: late }] },
    );
    const { violations } = await simulate(scenario);
    expect(violations).toEqual([]);
  }
});

it('a create does not fail for a deleted endpoint in a stale list', async () => {
  const lists = { method: 'GET', path: '/projects/:p/endpoints' } as const;
  for (const at of [1, 2, 3, 4]) {
    const scenario = scenarioWith(
      { operationMs: 0 },
      { slots: [{ ...notWaiting, name: 'a' }] },
      {
        // It keeps the name.
        slots: [notWaiting],
        forced: [{ slot: 0, how: 'taint' }],
        mishap: { counts: 'writes', kind: 'kill of the host', at, lingerMs: 0 },
        refreshesBetween: true,
        faults: [{ match: lists, times: 1, effect: { kind: 'late-read', lateMs: 200 } }],
        lateReads: [{ match: lists, times: 2, effect: { kind: 'late-read', lateMs: 299 } }],
      },
    );
    expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
  }
});

it('a take-over moves to the branch of a killed replacement', async () => {
  const replica = {
    ...notWaiting,
    type: 'read_only',
    size: [0.25, 0.25],
    createsBeforeDelete: true,
  } as const;
  const stale = { kind: 'late-read', lateMs: 200 } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [replica] },
    {
      slots: [{ ...replica, branch: 1 }],
      forced: [forcedReplacement],
      mishap: { counts: 'writes', kind: 'kill of CLI and host', at: 1, lingerMs: 0 },
      isGuarded: true,
      refreshesBetween: true,
      faults: [{ match: { method: 'GET', path: '/projects/:p/endpoints' }, times: 1, effect: stale }],
    },
  );
  const { violations } = await simulate(scenario);
  expect(violations).toEqual([]);
});

it('a lost response does not revive a failure that was repeated', async () => {
  const failing = { kind: 'operation-fails', status: 'failed' } as const;
  const lost = { kind: 'status', status: 408, when: 'before-work' } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { isRepeated: true, faults: [{ match: { action: 'start_compute' }, times: 1, effect: failing }] },
    {
      slots: [{ ...plan, name: 'a' }],
      faults: [{ match: { method: 'PATCH', path: '/**' }, times: 1, effect: lost }],
    },
  );
  expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
});

it('finds a start whose lost response hides that it was sent twice', async () => {
  const failing = { kind: 'operation-fails', status: 'failed' } as const;
  const lost = { kind: 'status', status: 408, when: 'after-work' } as const;
  const scenario = scenarioWith(
    { operationMs: 3_000, locks: 'none' },
    {
      isRepeated: true,
      faults: [
        { match: { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' }, times: 1, effect: lost },
        { match: { action: 'start_compute' }, times: 2, effect: failing },
      ],
    },
  );
  const { violations } = await simulate(scenario);
  expect(violations).toEqual([]);
});

it('an endpoint that only late reads still show is not taken over', async () => {
  const stale = { kind: 'late-read', lateMs: 200 } as const;
  const proxyPage = { kind: 'proxy-page', status: 404, when: 'before-work' } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [notWaiting] },
    {
      slots: [notWaiting],
      forced: [{ slot: 0, how: 'taint' }],
      isRepeated: true,
      refreshesBetween: true,
      idleMs: 400_000,
      faults: [{ match: { method: 'POST', path: '/projects/:p/endpoints' }, times: 10, effect: proxyPage }],
      lateReads: [{ match: { method: 'GET', path: '/**' }, times: 3, effect: stale }],
    },
  );
  expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
});

it('a failed restart that a killed run has repeated is not repeated again', async () => {
  const scenario = scenarioWith(
    { operationMs: 0 },
    { isQuiet: true },
    {
      slots: [{ ...plan, size: [1, 4] }],
      isLeft: true,
      faults: [
        {
          match: { action: 'suspend_compute' },
          times: 1,
          effect: { kind: 'operation-fails', status: 'failed' },
        },
      ],
    },
    {
      slots: [{ ...notWaiting, size: [1, 4] }],
      mishap: { kind: 'kill of the CLI', counts: 'writes', at: 1, lingerMs: 500 },
    },
  );
  expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
});

it('a refresh shows what an unfinished update has set', async () => {
  const hanging = {
    match: { action: 'apply_config' },
    times: 1,
    effect: { kind: 'operation-hangs' },
  } as const;
  const before = { ...plan, workMem: '4MB' } as const;
  const scenario = scenarioWith(
    { operationMs: 0, normalizeSettings: true },
    { isQuiet: true, slots: [before] },
    { isLeft: true, slots: [{ ...before, application: 'a' }], faults: [hanging] },
    { slots: [before], command: 'up --refresh' },
  );
  expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
});

it('a stale read does not make a failed delete succeed', async () => {
  const late = { kind: 'late-read', lateMs: 3_000 } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { isQuiet: true },
    {
      slots: [{ ...plan, type: 'read_only' }],
      faults: [
        { match: { method: 'GET', path: '/projects/:p/endpoints' }, times: 2, effect: late },
        { match: { method: 'GET', path: '/projects/:p/endpoints/:e' }, times: 2, effect: late },
        {
          match: { action: 'suspend_compute' },
          times: 1,
          effect: { kind: 'operation-fails', status: 'failed' },
        },
      ],
    },
  );
  expect(await violationsOf(scenario, [0, 1, 2, 3])).toEqual([]);
});

it('without waiting, a stale list does not restore what is omitted', async () => {
  const [withSetting, without] = [{ ...notWaiting, workMem: '4MB' as const }, notWaiting];
  // The last program gives the setting again.
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [withSetting], isQuiet: true },
    { slots: [without] },
    { slots: [{ ...plan, workMem: '4MB' }] },
  );
  expect(await violationsOf(scenario, [1, 2, 3, 4])).toEqual([]);
});

it('without waiting, a stale list does not restore the derived name', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [{ ...notWaiting, name: 'a' }], isQuiet: true },
    { slots: [{ ...notWaiting, size: [0.5, 2] }], refreshesBetween: true },
  );
  expect(await violationsOf(scenario, [1, 2, 3, 4])).toEqual([]);
});

it('a stale list does not pass the start of a create off as that of a move', async () => {
  const staleReads = (path: string, times: number, lateMs: number) =>
    ({ match: { method: 'GET', path }, times, effect: { kind: 'late-read', lateMs } }) as const;
  const scenario = scenarioWith(
    { operationMs: 3_000, locks: 'none' },
    { slots: [plan], isQuiet: true },
    {
      slots: [{ ...plan, branch: 1 }],
      faults: [
        staleReads('/projects/:p/endpoints', 1, 200),
        staleReads('/**', 2, 2_140),
        {
          match: { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
          times: 1,
          effect: { kind: 'proxy-page', status: 200, when: 'after-work' },
        },
        failingSuspension,
      ],
    },
  );
  expect(await violationsOf(scenario, [1, 2, 3, 4])).toEqual([]);
});

it("repeats a killed run's suspension that a stale list hides", async () => {
  const scenario = scenarioWith(
    { operationMs: 100, schedulingMs: 200, locks: 'none', lateListsMs: 1_500 },
    { slots: [plan], isQuiet: true },
    {
      slots: [{ ...plan, suspendTimeoutSeconds: 300, trigger: 'a' }],
      mishap: { counts: 'writes', kind: 'kill of the host', at: 3, lingerMs: 0 },
      faults: [failingSuspension],
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it('a create does not return a deleted endpoint of two stale lists', async () => {
  const match = { method: 'GET', path: '/projects/:p/endpoints' } as const;
  const staleLists = { match, times: 3, effect: { kind: 'late-read', lateMs: 371 } } as const;
  const named = { ...plan, name: 'a' as const };
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [named], isQuiet: true },
    { slots: [named], command: 'destroy', lateReads: [staleLists], refreshesBetween: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it("finds a killed run's failed suspension beside the create's start", async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [notWaiting], isQuiet: true },
    {
      slots: [{ ...plan, size: [0.5, 2] }],
      mishap: { counts: 'writes', kind: 'kill of the host', at: 1, lingerMs: 0 },
      faults: [failingSuspension],
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it('without waiting, a restart that a killed run repeated happens once', async () => {
  const larger = { ...notWaiting, size: [0.5, 2] } as const;
  const triggered = { ...plan, trigger: 'a' } as const;
  const kill = { counts: 'writes', kind: 'kill of the host', lingerMs: 0 } as const;
  for (const at of [1, 2, 3, 4]) {
    const scenario = scenarioWith(
      { operationMs: 0 },
      { slots: [plan, notWaiting], isQuiet: true },
      { slots: [triggered, larger], faults: [{ ...failingSuspension, times: 2 }], isLeft: true },
      { slots: [{ ...triggered, isDeclared: false }, larger], mishap: { ...kill, at } },
    );
    expect(
      await violationsOf({ ...scenario, secondStackFrom: 4, areDependent: false }, seedsUpTo(10)),
    ).toEqual([]);
  }
});

it('a stale running start does not hide a failed suspension', async () => {
  const staleLists = {
    match: listOfOperations,
    times: 4,
    effect: { kind: 'late-read', lateMs: 2_225 },
  } as const;
  const scenario = scenarioWith(
    { operationMs: 100 },
    { slots: [notWaiting], isQuiet: true },
    { slots: [{ ...plan, size: [0.5, 2], trigger: 'a' }], isQuiet: true },
    {
      slots: [plan],
      mishap: { counts: 'writes', kind: 'kill of CLI and host', at: 1, lingerMs: 0 },
      faults: [staleLists, failingSuspension],
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it.each(['repeated-operations', 'reversed-operations'] as const)(
  'a failed start is retried although lists show %s',
  async (kind) => {
    const scenario = scenarioWith(
      { operationMs: 0 },
      { slots: [plan], isQuiet: true },
      { slots: [{ ...plan, size: [1, 4] }], faults: [failingStart], isLeft: true },
      {
        slots: [{ ...plan, size: [0.5, 2] }],
        faults: [{ match: listOfOperations, times: 3, effect: { kind } }],
        idleMs: 400_000,
      },
    );
    expect(await violationsOf(scenario, seedsUpTo(5))).toEqual([]);
  },
);

const noPage = { kind: 'proxy-page', status: 404, when: 'before-work' } as const;

it('a failed look at operations is repeated by the next run', async () => {
  for (const at of [1, 2]) {
    const scenario = scenarioWith(
      { operationMs: 0 },
      { isQuiet: true },
      {
        slots: [{ ...plan, size: [1, 4] }],
        isRepeated: true,
        mishap: { counts: 'writes', kind: 'kill of CLI and host', at, lingerMs: 0 },
        faults: [failingStart, { match: listOfOperations, times: 10, effect: noPage }],
      },
    );
    expect(await violationsOf(scenario, seedsUpTo(4))).toEqual([]);
  }
});

it('a restart that Ctrl-C interrupts after its start happens once', async () => {
  const larger = { ...plan, size: [1, 4] } as const;
  for (const at of [36, 37, 38, 39, 40, 41]) {
    const scenario = scenarioWith(
      { operationMs: 100, lateListsMs: 4_000 },
      { isQuiet: true },
      { slots: [larger], faults: [failingSuspension], isLeft: true },
      { slots: [larger], mishap: { counts: 'events', kind: 'Ctrl-C', at, lingerMs: 0 } },
    );
    expect(await violationsOf(scenario, seedsUpTo(4))).toEqual([]);
  }
});

it("a create's start does not count for a restart that a proxy hid", async () => {
  const starts = { method: 'POST', path: '/projects/:p/endpoints/:e/start' } as const;
  for (const operationMs of [100, 1_500]) {
    const scenario = scenarioWith(
      { operationMs, locks: 'none' },
      { slots: [notWaiting], isQuiet: true },
      { slots: [{ ...notWaiting, trigger: 'a' }], faults: [{ match: starts, times: 1, effect: noPage }] },
    );
    expect(await violationsOf(scenario, seedsUpTo(4))).toEqual([]);
  }
});

it('a refused restart does not happen when it is reverted', async () => {
  const verbs = { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' } as const;
  const refusal = { kind: 'status', status: 422, when: 'before-work' } as const;
  const scenario = scenarioWith(
    { operationMs: 100 },
    { slots: [notWaiting], isQuiet: true },
    {
      slots: [{ ...plan, trigger: 'a' }],
      faults: [{ match: verbs, times: 1, effect: refusal }],
      isLeft: true,
    },
    { slots: [plan] },
  );
  expect(await violationsOf(scenario, seedsUpTo(4))).toEqual([]);
});

it('an update looks for duplicates again where the list was stale', async () => {
  const replica = { ...notWaiting, type: 'read_only' } as const;
  const staleLists = (times: number, lateMs: number) => ({
    match: listOfEndpoints,
    times,
    effect: { kind: 'late-read' as const, lateMs },
  });
  const scenario = scenarioWith(
    { operationMs: 0 },
    {
      slots: [replica],
      mishap: { counts: 'writes', kind: 'kill of CLI and host', at: 1, lingerMs: 0 },
      isRepeated: true,
      faults: [
        staleLists(2, 2_009),
        { match: { method: 'DELETE', path: '/projects/:p/endpoints/:e' }, times: 10, effect: noPage },
      ],
      lateReads: [staleLists(3, 437)],
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('creates beside an endpoint that a stale list shows unrenamed', async () => {
  const replica = { ...notWaiting, type: 'read_only' } as const;
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [{ ...replica, name: 'a' }], isQuiet: true },
    {
      slots: [{ ...replica, isWaiting: true, size: [1, 4], createsBeforeDelete: true }],
      forced: [forcedReplacement],
      isGuarded: true,
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it("without waiting, a create's start does not count for a restart", async () => {
  const verbs = { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' } as const;
  const scenario = scenarioWith(
    { operationMs: 0, lateGetsMs: 500 },
    { slots: [{ ...notWaiting, trigger: 'a' }], isQuiet: true },
    {
      slots: [notWaiting],
      faults: [{ match: verbs, times: 1, effect: { ...noPage, when: 'after-work' } }],
      refreshesBetween: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a failed resize is reverted although a stale list shows the old size', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 4_000 },
    { slots: [{ ...plan, size: [1, 4] }], isQuiet: true },
    {
      slots: [{ ...plan, size: [0.25, 0.25], application: 'a' }],
      faults: [failingStart],
      isLeft: true,
    },
    {
      slots: [{ ...plan, size: [1, 4], application: 'a' }],
      mishap: { counts: 'writes', kind: 'Ctrl-C', at: 1, lingerMs: 0 },
      refreshesBetween: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('waits for a start that a killed run repeated, and repeats it', async () => {
  const scenario = scenarioWith(
    { operationMs: 100, locks: 'none' },
    { slots: [{ ...plan, size: [0.25, 0.25] }], isQuiet: true },
    { faults: [failingStart], isLeft: true },
    {
      faults: [failingStart],
      mishap: { counts: 'writes', kind: 'kill of the host', at: 2, lingerMs: 0 },
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a wait for the lock does not hide what a killed run started', async () => {
  const hanging = {
    match: { action: 'apply_config' },
    times: 1,
    effect: { kind: 'operation-hangs' },
  } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [{ ...notWaiting, size: [0.25, 0.25] }], isQuiet: true },
    {
      slots: [notWaiting],
      faults: [hanging, failingStart],
      mishap: { counts: 'writes', kind: 'kill of the CLI', at: 1, lingerMs: 1_000 },
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('without waiting, an earlier start does not count after a lost response', async () => {
  const slowStart = {
    match: { method: 'POST', path: '/projects/:p/endpoints/:e/start' },
    times: 1,
    effect: { kind: 'slow', delayMs: 40_000 },
  } as const;
  const scenario = scenarioWith(
    { operationMs: 0, schedulingMs: 200, locks: 'endpoint' },
    { slots: [notWaiting], isQuiet: true },
    { slots: [{ ...plan, trigger: 'a' }], isQuiet: true },
    {
      slots: [{ ...notWaiting, trigger: 'b' }],
      faults: [slowStart, { ...failingSuspension, effect: { kind: 'operation-fails', status: 'cancelled' } }],
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('starts an adopted endpoint whose start failed behind a stale list', async () => {
  const named = { ...notWaiting, name: 'a' } as const;
  const scenario = scenarioWith(
    { operationMs: 100 },
    {
      slots: [named],
      faults: [failingStart],
      mishap: { counts: 'writes', kind: 'kill of the host', at: 5, lingerMs: 0 },
      isRepeated: true,
      isRunTwice: true,
      lateReads: [
        {
          match: listOfOperations,
          times: 1,
          effect: { kind: 'late-read', lateMs: 538 },
        },
      ],
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it("a take-over changes what the endpoint has, not a stale list's", async () => {
  const replica = { ...keptReplica, isWaiting: false } as const;
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [{ ...replica, size: [0.25, 0.25] }], isQuiet: true },
    { slots: [{ ...replica, size: [1, 4] }], isLeft: true },
    { slots: [replica], forced: [forcedReplacement], isRepeated: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('without waiting, starts a compute after a killed resize failed', async () => {
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [notWaiting], isQuiet: true },
    {
      slots: [{ ...notWaiting, size: [0.25, 0.25] }],
      faults: [
        {
          match: listOfOperations,
          times: 1,
          effect: { kind: 'reversed-operations' },
        },
        failingConfig,
      ],
      mishap: { counts: 'writes', kind: 'kill of the host', at: 1, lingerMs: 0 },
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it('without waiting, a later suspension replaces a failed one', async () => {
  const scenario = scenarioWith(
    { operationMs: 100, schedulingMs: 0, locks: 'none' },
    { slots: [{ ...notWaiting, name: 'a' }], isQuiet: true },
    {
      slots: [{ ...notWaiting, trigger: 'a' }],
      faults: [failingSuspension],
      mishap: { counts: 'writes', kind: 'Ctrl-C', at: 1, lingerMs: 0 },
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it('looks for what a hidden request started behind a stale list', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, schedulingMs: 200, locks: 'none', lateListsMs: 500 },
    { slots: [{ ...plan, application: 'a' }], isQuiet: true },
    {
      slots: [plan],
      faults: [hiddenPatch, failingConfig],
      isRepeated: true,
      refreshesBetween: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});

it('without waiting, an operation missing from a read is looked up again', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateGetsMs: 500 },
    { slots: [notWaiting], faults: [failingStart], isRepeated: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a repeated restart with an interrupted start is not done again', async () => {
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [{ ...notWaiting, size: [0.25, 0.25] }], isQuiet: true },
    { slots: [notWaiting], faults: [failingSuspension], isLeft: true },
    { slots: [notWaiting], mishap: { counts: 'writes', kind: 'Ctrl-C', at: 3, lingerMs: 0 } },
  );
  expect(await violationsOf(scenario, seedsUpTo(30), 1_500)).toEqual([]);
});

it('a secret name stays secret in a stale refresh after its revert', async () => {
  const traits = { secretSettings: 'no', secretTriggers: 'no', isNameSecret: true, isShared: false } as const;
  const takenBack = { slots: [plan], faults: [failingSuspension], refreshesBetween: true };
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 4_000 },
    { isQuiet: true },
    { slots: [{ ...plan, trigger: 'a', name: 'a' }], faults: [failingSuspension], isLeft: true },
    takenBack,
  );
  expect(await violationsOf({ ...scenario, traits: [traits] }, seedsUpTo(10))).toEqual([]);
});

it('repeats the failed apply_config of a forced replacement', async () => {
  const larger = { ...keptReplica, size: [0.25, 0.25] } as const;
  const refusedList = { match: listOfOperations, times: 3, effect: { kind: 'status', status: 422 } } as const;
  const scenario = scenarioWith(
    { operationMs: 100 },
    { slots: [keptReplica], isQuiet: true },
    {
      slots: [larger],
      faults: [failingConfig, hiddenPatch],
      isLeft: true,
    },
    { slots: [larger], faults: [refusedList], forced: [forcedReplacement] },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('moves an endpoint whose move a forced replacement could not see', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500, lateGetsMs: 500 },
    { slots: [keptReplica], isQuiet: true },
    { slots: [{ ...keptReplica, branch: 1, isWaiting: false }], isLeft: true },
    { slots: [keptReplica], faults: [refusedPatch], forced: [forcedReplacement] },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('sends a lost revert of a stop again behind a stale list', async () => {
  const lostPatch = { ...hiddenPatch, effect: { kind: 'lost-before-work' } } as const;
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500, locks: 'none' },
    { slots: [notWaiting], isQuiet: true },
    { slots: [{ ...notWaiting, isStopped: true }], isLeft: true },
    { slots: [notWaiting], faults: [lostPatch] },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('starts the compute when a proxy hid an unneeded suspension', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, schedulingMs: 0, lateListsMs: 500 },
    { isQuiet: true },
    {
      slots: [{ ...plan, size: [0.25, 0.25] }],
      faults: [failingConfig],
      isLeft: true,
    },
    {
      faults: [
        { ...hiddenPatch, match: { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' } },
        hiddenPatch,
      ],
      isRepeated: true,
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a restart started after a failed suspension stays disruptive', async () => {
  const scenario = scenarioWith(
    { operationMs: 100, schedulingMs: 0, locks: 'none' },
    { slots: [{ ...notWaiting, trigger: 'a' }], isQuiet: true },
    { slots: [notWaiting], faults: [failingSuspension], isLeft: true },
    { slots: [notWaiting], isGuarded: true, isRunTwice: true, isRepeated: true, refreshesBetween: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a create does not adopt an endpoint that only stale reads show', async () => {
  const staleReads = {
    match: { method: 'GET', path: '/**' },
    times: 3,
    effect: { kind: 'late-read', lateMs: 400 },
  } as const;
  const named = { ...plan, size: [0.25, 0.25], name: 'a' } as const;
  const scenario = scenarioWith(
    { operationMs: 0 },
    { slots: [named], isQuiet: true },
    { slots: [{ ...named, isDeclared: false }], isQuiet: true },
    { slots: [named], faults: [staleReads] },
  );
  const { violations, counts } = await simulate({ ...scenario, longestDelayMs: 20 });
  expect(violations).toEqual([]);
  expect(counts.get('failed runs') ?? 0).toBe(0);
});

it('a hidden resize that reverts a failed stop is applied once', async () => {
  const scenario = scenarioWith(
    { operationMs: 0, lateListsMs: 500 },
    { slots: [notWaiting], isQuiet: true },
    { slots: [{ ...notWaiting, isStopped: true }], faults: [failingSuspension], isLeft: true },
    { slots: [{ ...notWaiting, size: [0.25, 0.25] }], faults: [hiddenPatch], isRepeated: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it('a killed resize that reverts a failed stop is applied once', async () => {
  const scenario = scenarioWith(
    { operationMs: 1_500, schedulingMs: 0 },
    { isQuiet: true },
    { slots: [{ ...plan, isStopped: true }], faults: [failingSuspension], isLeft: true },
    {
      slots: [{ ...plan, size: [0.25, 0.25] }],
      mishap: { counts: 'writes', kind: 'kill of CLI and host', at: 1, lingerMs: 0 },
    },
  );
  expect(await violationsOf(scenario, seedsUpTo(10))).toEqual([]);
});

it("a reverted failed stop restarts nothing beside the create's start", async () => {
  const scenario = scenarioWith(
    { operationMs: 100, schedulingMs: 0, locks: 'none' },
    { slots: [notWaiting], isQuiet: true },
    { slots: [{ ...notWaiting, isStopped: true }], faults: [failingSuspension], isLeft: true },
    { slots: [notWaiting], faults: [hiddenPatch], idleMs: 100, isRepeated: true },
  );
  expect(await violationsOf(scenario, seedsUpTo(20))).toEqual([]);
});
