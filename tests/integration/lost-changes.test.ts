import {
  create,
  failing,
  larger,
  listOperations,
  longMs,
  notWaiting,
  patch,
  refused,
  suspend,
  triggered,
} from '../support/fault-rows';
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What a run does not see: a response that was lost, an operation that came later, reads that are stale.

const locksNothing = { locks: 'none' } as const;
const longer = { suspendTimeoutSeconds: 600 };
const settled = { idleMs: longMs };
const lostPatch = (times: number | 'always' = 1) =>
  ({ match: patch, times, effect: { kind: 'lost-after-work' } }) as const;
const hasFailed = (action: string) => new RegExp(`operation ${action} \\S+ failed`);
/** The service has suspended the compute and started it again since the last run. */
const woken: readonly Deed[] = [{ does: 'suspend' }, { does: 'start' }];

const pasts: readonly Row[] = [
  {
    title: 'an old suspension does not pay for a restart whose request was lost',
    rounds: [
      {},
      { command: 'refresh', others: woken },
      {
        program: triggered,
        timeoutSeconds: 30,
        faults: [{ match: suspend, times: 'always', effect: { kind: 'lost-before-work' } }],
        message: /POST \S+suspend: /,
      },
      {},
    ],
    expect: { drops: 2 },
  },
  {
    title: 'a trigger beside unchanged settings restarts the compute',
    rounds: [
      {},
      {
        program: { ...triggered, ...longer },
        others: [...woken, { does: 'patch', body: { suspend_timeout_seconds: 600 } }],
      },
    ],
    expect: { drops: 2 },
  },
  {
    title: 'a refused update does not hide a failed restart of a lost request',
    rounds: [
      {},
      {
        program: larger,
        timeoutSeconds: 30,
        faults: [failing('suspend_compute'), lostPatch('always')],
        message: /suspend_compute|PATCH/,
      },
      { ...settled, faults: [refused(patch)], message: /403 Forbidden/ },
      {},
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  },
  {
    title: 'a lost change fails with its own operation, which the next run repeats',
    service: { ...locksNothing, lateListsMs: 300 },
    rounds: [
      {},
      { program: longer, faults: [failing('apply_config'), lostPatch()], message: hasFailed('apply_config') },
      {},
    ],
    expect: { drops: 0, state: { suspend_timeout_seconds: 600 } },
  },
  {
    title: 'a failed change is sent again when its first repetition is lost',
    rounds: [
      {},
      { program: longer, faults: [failing('apply_config')], message: hasFailed('apply_config') },
      { faults: [{ match: patch, effect: { kind: 'lost-before-work' } }] },
    ],
    expect: { drops: 0, requests: { 'PATCH endpoint': 2 } },
  },
  {
    title: 'an operation that fails after a timeout is repeated',
    rounds: [
      {},
      {
        program: longer,
        timeoutSeconds: 0.5,
        faults: [failing('apply_config')],
        message: /still waiting for apply_config/,
      },
      settled,
    ],
    expect: { drops: 0, requests: { 'PATCH endpoint': 1 } },
  },
  {
    title: 'size and trigger restart once although the response is late',
    rounds: [
      { program: { restartTriggers: { release: '1' } } },
      {
        program: { ...triggered, ...larger },
        faults: [{ match: patch, effect: { kind: 'slow', delayMs: 40_000 } }],
      },
    ],
    expect: { drops: 1 },
  },
  ...(
    [
      [{ suspendTimeoutSeconds: 600 }, { suspendTimeoutSeconds: 900 }, { suspend_timeout_seconds: 600 }],
      [{ name: 'one' }, { name: 'two' }, { name: 'one' }],
      [{ disabled: true }, { disabled: false }, { disabled: true }],
    ] as const
  ).map(([program, changed, state]) => ({
    title: `a lost revert of ${JSON.stringify(changed)} is sent again despite stale reads`,
    service: { lateListsMs: 4_000 },
    rounds: [
      { program },
      { program: { ...changed, ...notWaiting } },
      { program, faults: [{ match: patch, effect: { kind: 'lost-before-work' as const } }] },
    ],
    expect: { drops: 0, state },
  })),
  {
    title: 'a lost change ignores an older foreign operation and a check',
    rounds: [
      {},
      {
        program: longer,
        timeoutSeconds: 30,
        others: [
          { does: 'operate', operation: { action: 'apply_config', status: 'failed' } },
          {
            at: { after: 'PATCH endpoint' },
            does: 'operate',
            operation: { action: 'check_availability', status: 'cancelling' },
          },
        ],
        faults: [lostPatch()],
      },
    ],
    expect: { drops: 0, state: { suspend_timeout_seconds: 600 } },
  },
];

const others: readonly Row[] = [
  {
    title: 'a create with a lost response repeats its failed start',
    rounds: [
      {
        faults: [
          failing('start_compute'),
          { match: create, effect: { kind: 'lost-after-work' } },
          { match: listOperations, times: 'always', effect: { kind: 'late-read', lateMs: 300 } },
        ],
      },
    ],
    expect: { drops: 0 },
  },
  {
    title: 'an operation of unknown status is unfinished for the next run',
    rounds: [
      {
        timeoutSeconds: 10,
        faults: [
          { match: { action: 'start_compute' }, effect: { kind: 'operation-status', status: 'pondering' } },
        ],
        message: /still waiting for start_compute \S+ pondering/,
      },
      {},
    ],
    expect: { drops: 0, requests: { 'POST start': 0 } },
  },
  {
    title: 'a move to a branch that does not exist is no missing endpoint',
    rounds: [{}, { program: { branchId: 'nowhere' }, message: /branchId is not a branch of project/ }],
    expect: { drops: 0 },
  },
];

checkRows([...pasts, ...others]);
