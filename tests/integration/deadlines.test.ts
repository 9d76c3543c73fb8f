import { create, failing, hanging, larger, listOperations } from '../support/fault-rows';
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What ends a wait early: the deadline, a lock, other people, Ctrl-C.

const locked: Deed = { at: {}, does: 'lock', forMs: 5_000 };

const deadlines: readonly Row[] = [
  {
    title: 'a create ends at its deadline after a lost response, without lists',
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
    title: 'a resize ends at its deadline, and the next run resumes the wait',
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
        message: /still waiting for suspend_compute .*The service has accepted the delete/,
      },
      { command: 'destroy' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
  {
    title: 'a delete names its operation that fails right before its deadline',
    rounds: [
      {},
      {
        command: 'destroy',
        timeoutSeconds: 2,
        faults: [failing('suspend_compute')],
        message: /operation suspend_compute \S+ failed.*The service has accepted the delete/,
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
    title: 'allowRestart: false stops a restart if the compute wakes in the queue',
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
    title: 'a delete succeeds when a foreign delete cancels its operation',
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
    title: 'Ctrl-C waits for the response of a create, which has the id',
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
    title: 'Ctrl-C ends a slow create, and the next run finds its orphan',
    rounds: [
      {
        faults: [{ match: create, effect: { kind: 'slow', delayMs: 20_000 } }],
        ...interrupted('POST endpoints', 100),
        message: /POST \S+\/endpoints: .*interrupted before a response/,
        withinMs: 2_000,
      },
      {},
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 0 } },
  },
];

checkRows([...deadlines, ...interruptions]);
