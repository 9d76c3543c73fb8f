import {
  create,
  failing,
  hanging,
  larger,
  listOperations,
  longMs,
  notWaiting,
  patch,
  refused,
  start,
  suspend,
  triggered,
} from '../support/fault-rows';
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What a command waits for, and what ends the wait: the service, the deadline, Ctrl-C.

const hasFailed = (action: string) => new RegExp(`operation ${action} \\S+ failed`);
const locked: Deed = { at: {}, does: 'lock', forMs: 5_000 };
const newer: Deed = {
  at: { after: 'POST endpoints' },
  does: 'operate',
  operation: { action: 'check_availability', status: 'finished' },
};

const operations: readonly Row[] = [
  {
    title: 'a resumed create finds its own operation behind 1,100 newer ones',
    rounds: [
      {
        others: Array.from({ length: 1_100 }, () => newer),
        cutOff: { how: 'killed', after: 'POST endpoints', ms: 100 },
      },
      {},
    ],
    expect: { drops: 0 },
  },
  {
    title: 'an operation that the service starts by itself does not fail a create',
    rounds: [
      {
        others: [
          {
            at: { after: 'POST endpoints' },
            does: 'operate',
            operation: { action: 'suspend_compute', status: 'failed' },
          },
        ],
      },
    ],
    expect: { drops: 0 },
  },
  ...['apply_config', 'suspend_compute', 'start_compute'].map((action) => ({
    title: `a resize whose ${action} fails is repeated by the next run, also after a refresh`,
    rounds: [
      {},
      { program: larger, faults: [failing(action)], message: hasFailed(action) },
      { command: 'refresh' as const },
      { program: larger },
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  })),
  {
    title: 'the start of a create that failed is repeated again when its repetition was refused',
    rounds: [
      {
        faults: [failing('start_compute')],
        message: /^create of endpoint ep-\S+: operation start_compute \S+ failed: no capacity/,
      },
      { faults: [refused(start)], message: /403 Forbidden/ },
      { program: { allowRestart: false } },
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 0, 'POST start': 1 } },
  },
  {
    title: 'an update after a failed create leaves alone what others have changed, although it fails once',
    rounds: [
      { faults: [failing('start_compute')], message: hasFailed('start_compute') },
      {
        others: [{ does: 'change', to: { settings: { pg_settings: { work_mem: '64MB' } } } }],
        faults: [failing('start_compute')],
        message: hasFailed('start_compute'),
      },
      {},
    ],
    expect: { drops: 0, state: { settings: { pg_settings: { work_mem: '64MB' } } } },
  },
  {
    title: 'the start of a killed create that failed is repeated by the next one',
    rounds: [
      {
        faults: [failing('start_compute')],
        cutOff: { how: 'killed', after: 'POST endpoints' },
      },
      { idleMs: longMs },
    ],
    expect: { drops: 0, requests: { 'POST start': 1 } },
  },
  {
    title: 'a create is repaired whose response is lost, and which once can not list operations',
    rounds: [
      {
        faults: [
          failing('start_compute'),
          { match: create, effect: { kind: 'lost-after-work' } },
          refused(listOperations),
        ],
      },
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 1 } },
  },
  ...[{ pgSettings: { work_mem: 'x' } }, {}].map((change) => ({
    title: `a refused update is not repeated when it is taken back: ${JSON.stringify(change)}`,
    rounds: [
      {},
      {
        program: { ...change, ...triggered },
        faults: [refused('pgSettings' in change ? patch : suspend)],
        message: /403 Forbidden/,
      },
      { program: {} },
    ],
    expect: { drops: 0, requests: { 'PATCH endpoint': 0, 'POST suspend': 0 } },
  })),
  {
    title: 'settings that the service spells differently are no change',
    service: { normalizeSettings: true },
    rounds: [
      { program: { pgSettings: { work_mem: '8MB' } } },
      { program: { pgSettings: { Work_Mem: '64MB', statement_timeout: '1min', enable_seqscan: 'off' } } },
    ],
    expect: { drops: 0, state: { settings: { pg_settings: { work_mem: '65536kB' } } } },
  },
];

const unawaited: readonly Row[] = [
  {
    title: 'without waiting, an update returns while its operations run, and the next one waits for them',
    rounds: [
      {},
      { program: { ...larger, ...notWaiting }, faults: [hanging('apply_config')], withinMs: 500 },
      { program: larger },
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  },
  {
    title: 'without waiting, a trigger restarts the compute once, however often the update is repeated',
    service: { locks: 'none' },
    rounds: [
      {},
      { program: { ...notWaiting, ...triggered } },
      { idleMs: 500 },
      { idleMs: 500 },
      { program: triggered },
    ],
    expect: { drops: 1, requests: { 'POST suspend': 0 } },
  },
  {
    title: 'without waiting, a delete still waits, fails with its operation, and is repeated',
    rounds: [
      { program: notWaiting },
      {
        idleMs: longMs,
        command: 'destroy',
        faults: [failing('suspend_compute')],
        message: /^delete of endpoint \S+: operation suspend_compute \S+ failed/,
      },
      { command: 'destroy' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
  {
    title: 'allowRestart: false stops the repetition of a failed move, which stays owed',
    rounds: [
      {},
      { program: { branchId: 'other', ...notWaiting }, faults: [failing('suspend_compute')] },
      {
        idleMs: longMs,
        program: { branchId: 'other', allowRestart: false },
        message: /allowRestart is false/,
      },
      { program: { branchId: 'other' } },
    ],
    expect: { drops: 1, state: { current_state: 'idle' } },
  },
];

const deadlines: readonly Row[] = [
  {
    title: 'a create ends at its deadline when its response is lost and operations can not be listed',
    rounds: [
      {
        timeoutSeconds: 10,
        faults: [
          { match: create, effect: { kind: 'lost-after-work' } },
          { match: listOperations, times: 'always', effect: { kind: 'status', status: 503 } },
        ],
        message: /503 Service Unavailable/,
        withinMs: 11_000,
      },
      {},
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 0 } },
  },
  {
    title:
      'a resize ends at its deadline, and the next run goes on waiting, also where restarts are not allowed',
    rounds: [
      {},
      {
        program: larger,
        timeoutSeconds: 3,
        faults: [hanging('apply_config')],
        message: /^update of endpoint \S+: still waiting for apply_config .* after \d/,
      },
      { program: { ...larger, allowRestart: false } },
    ],
    expect: { drops: 1, requests: { 'PATCH endpoint': 0 } },
  },
  {
    title: 'a delete ends at its deadline, and is repeated',
    rounds: [
      {},
      {
        command: 'destroy',
        timeoutSeconds: 3,
        faults: [hanging('suspend_compute')],
        message: /The service has accepted the delete/,
      },
      { command: 'destroy' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
  {
    title: 'a write waits for the lock of others, without a rush of requests',
    rounds: [{ others: [locked] }],
    expect: { drops: 0, requests: { 'POST endpoints': 3 } },
  },
  {
    title: 'allowRestart: false stops a restart if the compute wakes while the write waits for a lock',
    rounds: [
      { program: { allowRestart: false } },
      {
        program: { allowRestart: false, ...larger },
        others: [{ does: 'suspend' }, locked, { at: { ms: 2_000 }, does: 'connect' }],
        message: /allowRestart is false/,
      },
    ],
    expect: { drops: 1, requests: { 'PATCH endpoint': 1 } },
  },
  {
    title: 'a delete is done whose operation is cancelled because others have deleted the endpoint',
    rounds: [
      {},
      {
        command: 'destroy',
        faults: [hanging('suspend_compute')],
        others: [{ at: { after: 'DELETE endpoint', ms: 500 }, does: 'delete' }],
      },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
];

const interrupted = (after: string | undefined, ms: number) =>
  ({ cutOff: { how: 'interrupted', ms, ...(after && { after }) }, message: /interrupted/ }) as const;

const interruptions: readonly Row[] = [
  {
    title: 'Ctrl-C ends the wait of a create at once, and the next run resumes it',
    service: { operationMs: 30_000 },
    rounds: [
      {
        ...interrupted('POST endpoints', 5_000),
        message: /interrupted while waiting for start_compute \S+ \w+ after .* continues to wait\.$/,
        withinMs: 5_500,
      },
      {},
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 0 } },
  },
  {
    title: 'Ctrl-C ends the wait for a locked project, and nothing is sent',
    rounds: [
      { others: [{ ...locked, forMs: 60_000 }], ...interrupted(undefined, 2_000), withinMs: 2_500 },
      {},
    ],
    expect: { drops: 0 },
  },
  {
    title: 'Ctrl-C ends the pause that the service asks for',
    rounds: [
      {
        faults: [{ match: create, effect: { kind: 'status', status: 429, retryAfterSeconds: 30 } }],
        ...interrupted(undefined, 2_000),
        withinMs: 2_500,
      },
    ],
    expect: { drops: 0, state: 'nothing' },
  },
  {
    title: 'Ctrl-C leaves a create that is under way the time for its response, which holds the id',
    rounds: [
      {
        faults: [{ match: create, effect: { kind: 'slow', delayMs: 500 } }],
        ...interrupted('POST endpoints', 100),
        withinMs: 2_000,
      },
    ],
    expect: { drops: 0, state: {} },
  },
  {
    title: 'Ctrl-C ends the wait of a destroy, which the next one repeats',
    service: { operationMs: 30_000 },
    rounds: [
      {},
      { command: 'destroy', ...interrupted('DELETE endpoint', 5_000), withinMs: 5_500 },
      { command: 'destroy' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
];

checkRows([...operations, ...unawaited, ...deadlines, ...interruptions]);
