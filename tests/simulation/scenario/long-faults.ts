import fc from 'fast-check';
import type { Fault } from 'postgres-control-emulator';
import { call, fault, proxyPageOf } from './faults';

/** A proxy answers many requests. */
const proxied = proxyPageOf(call, fc.constantFrom(10, 40), 'before-work');

/** Responses that take almost as long as the provider waits for one. */
const slow: fc.Arbitrary<Fault> = fc.record({
  match: call,
  times: fc.integer({ min: 1, max: 3 }),
  effect: fc.constant({ kind: 'slow' as const, delayMs: 20_000 }),
});

/** The account has used up its requests of the last minute. */
const exhausted: fc.Arbitrary<Fault> = fc.record({
  match: fc.constantFrom({ path: '/**' }, { method: 'GET', path: '/projects/:p/endpoints' }),
  times: fc.constant(1),
  effect: fc.constant({ kind: 'status' as const, status: 429, retryAfterSeconds: 60 }),
});

/** A proxy refuses a poll or two. Only a third refusal in a row is final. */
const refusedPolls = proxyPageOf(
  fc.constantFrom(
    { method: 'GET', path: '/projects/:p/operations' },
    { method: 'GET', path: '/projects/:p/operations/:o' },
  ),
  fc.integer({ min: 1, max: 2 }),
  'before-work',
);

export const simulatedFault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 10, arbitrary: fault },
  { weight: 1, arbitrary: proxied },
  { weight: 1, arbitrary: slow },
  { weight: 1, arbitrary: exhausted },
  { weight: 1, arbitrary: refusedPolls },
);
