import { failing, larger, longMs, notWaiting, patch, suspend, triggered } from '../support/fault-rows';
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
  {
    title: 'a lost revert is sent again despite stale reads',
    service: { lateListsMs: 4_000 },
    rounds: [
      { program: longer },
      { program: { suspendTimeoutSeconds: 900, ...notWaiting } },
      { program: longer, faults: [{ match: patch, effect: { kind: 'lost-before-work' } }] },
    ],
    expect: { drops: 0, state: { suspend_timeout_seconds: 600 } },
  },
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
];

checkRows([...pasts, ...others]);
