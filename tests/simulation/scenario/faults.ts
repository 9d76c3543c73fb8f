import fc from 'fast-check';
import type { Fault, RequestEffect } from 'postgres-control-emulator';

const action = fc.constantFrom('start_compute', 'apply_config', 'suspend_compute');
const times = fc.integer({ min: 1, max: 3 });
const when = fc.constantFrom('before-work' as const, 'after-work' as const);
/** The calls that the provider makes. */
export const call = fc.constantFrom(
  { method: 'POST', path: '/projects/:p/endpoints' },
  { method: 'POST', path: '/projects/:p/endpoints' },
  { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  { method: 'DELETE', path: '/projects/:p/endpoints/:e' },
  { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' },
  { method: 'GET', path: '/projects/:p/endpoints' },
  { method: 'GET', path: '/projects/:p/endpoints/:e' },
  { method: 'GET', path: '/projects/:p/operations' },
  { method: 'GET', path: '/projects/:p/operations/:o' },
  { path: '/**' },
);

/** These statuses mean that nothing was done, so they never follow the work. */
const refusal = fc.constantFrom(423, 429, 503);
const oddStatus = fc.constantFrom(408, 425, 500, 502, 504, 507, 520, 522, 524, 529);

/** Responses that a client can't trust. */
const oddResponse: fc.Arbitrary<RequestEffect> = fc.oneof(
  refusal.map((status) => ({ kind: 'status' as const, status, when: 'before-work' as const })),
  fc.constant({ kind: 'status' as const, status: 429, retryAfterSeconds: 1 }),
  fc.record({ kind: fc.constant('status' as const), status: oddStatus, when }),
  fc.record({ kind: fc.constant('status' as const), status: oddStatus, when }),
  fc.record({ kind: fc.constant('proxy-page' as const), status: fc.constantFrom(404, 502, 503, 200), when }),
  fc.constantFrom({ kind: 'cut-off' as const }, { kind: 'cut-off' as const, encoding: 'gzip' as const }),
  fc.constant({ kind: 'malformed' as const }),
);

const otherEffect: fc.Arbitrary<RequestEffect> = fc.constantFrom(
  { kind: 'lost-before-work' },
  { kind: 'lost-after-work' },
  { kind: 'repeated-operations' },
  { kind: 'reversed-operations' },
  { kind: 'slow', delayMs: 700 },
);

export const failingOperation: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({ action }),
  times,
  effect: fc.record({
    kind: fc.constant('operation-fails' as const),
    status: fc.constantFrom('failed' as const, 'error' as const, 'cancelled' as const),
  }),
});

const endlessOperation: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({ action }),
  times: fc.constant(1),
  effect: fc.constantFrom(
    { kind: 'operation-hangs' as const },
    { kind: 'operation-status' as const, status: 'pondering' },
  ),
});

export function requestFaultOf(match: typeof call): fc.Arbitrary<Fault> {
  return fc.record({
    match,
    times,
    effect: fc.oneof({ weight: 2, arbitrary: oddResponse }, { weight: 1, arbitrary: otherEffect }),
  });
}

/** A proxy answers in place of the service. */
export function proxyPageOf(
  match: typeof call,
  times: fc.Arbitrary<number>,
  when: 'before-work' | 'after-work',
): fc.Arbitrary<Fault> {
  return fc.record({ match, times, effect: fc.constant({ kind: 'proxy-page', status: 404, when }) });
}

export const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: failingOperation },
  { weight: 1, arbitrary: endlessOperation },
  { weight: 10, arbitrary: requestFaultOf(call) },
);

/** Whether the fault makes a run wait until its deadline. */
export function isEndless({ effect }: Fault): boolean {
  return effect.kind === 'operation-hangs' || effect.kind === 'operation-status';
}

export const lateRead: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({
    method: fc.constant('GET'),
    path: fc.constantFrom('/projects/:p/endpoints', '/projects/:p/operations', '/**'),
  }),
  times: fc.integer({ min: 1, max: 8 }),
  effect: fc.record({
    kind: fc.constant('late-read' as const),
    lateMs: fc.integer({ min: 200, max: 3_000 }),
  }),
});
