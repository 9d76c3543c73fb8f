import { larger, longMs } from '../support/fault-rows';
import type { Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// Reads that lag behind writes, by more than an operation takes and less than the provider allows for.

const releaseOf = (release: string): Round => ({ program: { restartTriggers: { release } } });

const lags = [
  { lateListsMs: 4_000 },
  { lateGetsMs: 4_000 },
  { lateListsMs: 4_000, lateGetsMs: 4_000 },
] as const;

const late = (service: object) => Object.keys(service).join();

const lives = lags.flatMap((service): Row[] =>
  (['read_write', 'read_only'] as const).flatMap((type) => [
    {
      title: `a whole life of a ${type} endpoint: ${late(service)}`,
      service,
      rounds: [
        { program: { type } },
        { program: { type, name: 'api' } },
        { program: { type, ...larger } },
        { program: { type, ...larger, ...releaseOf('1').program } },
        { program: { type, ...larger, ...releaseOf('2').program } },
        { command: 'refresh' },
        { command: 'destroy' },
      ],
      expect: { drops: 4, state: 'nothing' },
    },
    {
      title: `a ${type} endpoint is created once if a response is lost: ${late(service)}`,
      service,
      rounds: [
        {
          program: { type, name: 'api' },
          faults: [{ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } }],
        },
      ],
      expect: { drops: 0, state: { name: 'api', current_state: 'active' } },
    },
    {
      title: `a ${type} endpoint is replaced: ${late(service)}`,
      service,
      rounds: [{ program: { type } }, { command: 'replace' }],
      expect: { drops: 0 },
    },
  ]),
);

// A second replica, which the service allows, could not be told from the killed one.
const killed = lags.map(
  (service): Row => ({
    title: `a killed create is repeated once: ${late(service)}`,
    service,
    rounds: [{ cutOff: { how: 'killed', after: 'POST endpoints' } }, {}],
    expect: { drops: 0 },
  }),
);

const hidden = (path: string) =>
  ({
    match: { method: 'GET', path },
    times: 'always',
    effect: { kind: 'late-read', lateMs: 60_000 },
  }) as const;
const hiddenOperations = [
  hidden('/projects/:p/operations'),
  { ...hidden('/projects/:p/operations/:o'), times: 'always' as const },
];

const cases: readonly Row[] = [
  {
    title: 'a read lag above 10 s fails a create, whose endpoint stays in state',
    service: { lateListsMs: 60_000, lateGetsMs: 60_000 },
    rounds: [{ idleMs: 60_000, message: /the endpoint no longer exists/ }],
    expect: { drops: 0 },
  },
  {
    title: 'an operation that is never shown fails the create during the start',
    service: { operationMs: 30_000 },
    rounds: [
      {
        timeoutSeconds: 25,
        faults: hiddenOperations,
        message: /no longer shows its operation, and the endpoint is still becoming active/,
      },
    ],
    expect: { drops: 0, state: {} },
  },
  {
    title: 'a delete whose operation is never shown fails while reads show the endpoint',
    service: { operationMs: 30_000 },
    rounds: [
      {},
      {
        idleMs: 60_000,
        command: 'destroy',
        faults: hiddenOperations,
        message: /no longer shows its operation, and the endpoint still exists/,
      },
    ],
    expect: { drops: 0, state: {} },
  },
  {
    title: 'a create fails soon when others have deleted the endpoint',
    service: { operationMs: 60_000 },
    rounds: [
      {
        faults: hiddenOperations,
        others: [{ at: { after: 'POST endpoints', ms: 15_000 }, does: 'delete' }],
        message: /the endpoint no longer exists/,
        withinMs: 60_000,
      },
      { command: 'refresh' },
    ],
    expect: { drops: 0, state: 'nothing' },
  },
  ...(['204', '404'] as const).map(
    (answer): Row => ({
      title: `a delete answered with ${answer} is done despite stale reads`,
      service: { lateListsMs: 4_000, lateGetsMs: 4_000 },
      rounds: [
        {},
        {
          idleMs: longMs,
          command: 'destroy',
          others: [{ at: {}, does: 'delete' }],
          faults:
            answer === '404'
              ? [{ match: { method: 'DELETE' }, effect: { kind: 'status', status: 404 } }]
              : [],
        },
      ],
      expect: { drops: 1, state: 'nothing', requests: { 'DELETE endpoint': 1 } },
    }),
  ),
  {
    title: 'a refresh believes the first reads of a foreign delete',
    rounds: [{}, { command: 'refresh', others: [{ does: 'delete' }] }],
    expect: { drops: 1, state: 'nothing', requests: { 'GET endpoints': 1, 'GET endpoint': 1 } },
  },
];

checkRows([...lives, ...killed, ...cases]);
