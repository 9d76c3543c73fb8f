import { failing, larger, longMs, notWaiting } from '../support/fault-rows';
import type { Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// Reads that lag behind writes, by more than an operation takes and less than the provider allows for.

const releaseOf = (release: string): Round => ({ program: { restartTriggers: { release } } });
const stop = { disabled: true };

const lags = [
  { lateListsMs: 4_000 },
  { lateGetsMs: 4_000 },
  { lateListsMs: 4_000, lateGetsMs: 4_000 },
] as const;

const lives = lags.flatMap((service): Row[] =>
  (['read_write', 'read_only'] as const).flatMap((type) => [
    {
      title: `a ${type} endpoint is created, renamed, resized, restarted twice and deleted: ${JSON.stringify(service)}`,
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
      title: `a ${type} endpoint is created once, with its name, after a lost response: ${JSON.stringify(service)}`,
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
      title: `a ${type} endpoint is replaced while reads still show the old one: ${JSON.stringify(service)}`,
      service,
      rounds: [{ program: { type } }, { command: 'replace' }],
      expect: { drops: 0 },
    },
  ]),
);

// A second replica, which the service allows, could not be told from the killed one.
const killed = lags.map(
  (service): Row => ({
    title: `a read_write endpoint is created once after a killed create: ${JSON.stringify(service)}`,
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
    title: 'a refresh that reads the values from before a stop does not take it back',
    service: { lateListsMs: 4_000, lateGetsMs: 4_000 },
    rounds: [
      {},
      { idleMs: longMs, program: { ...stop, ...notWaiting }, faults: [failing('suspend_compute')] },
      { command: 'refresh' },
      { idleMs: longMs, command: 'refresh' },
      { program: stop },
    ],
    expect: { drops: 1, state: { disabled: true, current_state: 'idle' } },
  },
  {
    title: 'reads that lag by more than is allowed for fail the create, which keeps the endpoint in state',
    service: { lateListsMs: 60_000, lateGetsMs: 60_000 },
    rounds: [{ message: /the endpoint no longer exists/ }],
    expect: { drops: 0 },
  },
  {
    title: 'an operation that the service never shows fails the create while the compute is starting',
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
  ...(
    [
      ['deleted', { does: 'delete' }, /the endpoint no longer exists/, 'nothing'],
      [
        'changed',
        { does: 'change', to: { suspend_timeout_seconds: 90 } },
        /the service reports a different suspendTimeoutSeconds/,
        {},
      ],
    ] as const
  ).map(([what, deed, message, state]) => ({
    title: `a create whose operation the service never shows fails soon when others have ${what} the endpoint`,
    service: { operationMs: 60_000 },
    rounds: [
      {
        program: { suspendTimeoutSeconds: 60 },
        faults: hiddenOperations,
        others: [{ at: { after: 'POST endpoints', ms: 15_000 }, ...deed }],
        message,
        withinMs: 60_000,
      },
      ...(what === 'deleted' ? [{ command: 'refresh' as const }] : []),
    ],
    expect: { drops: 0, state },
  })),
  {
    title: 'a create on another branch takes the name of a deleted endpoint that lists still show',
    service: { lateListsMs: 4_000 },
    rounds: [
      { program: { branchId: 'other', name: 'api' } },
      { command: 'destroy' },
      { program: { name: 'api' } },
    ],
    expect: { drops: 0, state: { name: 'api', current_state: 'active' } },
  },
  ...(['204', '404'] as const).map(
    (answer): Row => ({
      title: `a delete that the service answers with ${answer} is done although late reads still show the endpoint`,
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
    title: 'a refresh believes the first reads of an endpoint that others have deleted',
    rounds: [{}, { command: 'refresh', others: [{ does: 'delete' }] }],
    expect: { drops: 1, state: 'nothing', requests: { 'GET endpoints': 1, 'GET endpoint': 1 } },
  },
  {
    title: 'a restart does not wait for late reads, although others have changed what the program leaves out',
    rounds: [
      releaseOf('1'),
      {
        ...releaseOf('2'),
        others: [{ does: 'change', to: { suspend_timeout_seconds: 90 } }],
        withinMs: 5_000,
      },
    ],
    expect: { drops: 1, state: { suspend_timeout_seconds: 90, current_state: 'active' } },
  },
  {
    title: 'a take-over of its own endpoint does not wait for late reads if the service adds settings',
    service: { normalizeSettings: true },
    rounds: [
      { program: { pgSettings: { work_mem: '8MB' } }, cutOff: { how: 'killed', after: 'POST endpoints' } },
      { idleMs: longMs, withinMs: 2_000 },
    ],
    expect: { drops: 0 },
  },
];

checkRows([...lives, ...killed, ...cases]);
