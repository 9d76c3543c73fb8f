import fc from 'fast-check';
import type { Fault, RequestFault } from 'postgres-control-emulator';
import { failingOperation, proxyPageOf, requestFaultOf } from './faults';

/** The service refuses the request: sending it again changes nothing. */
function refusedOf(match: fc.Arbitrary<RequestFault['match']>, times = [1, 3]): fc.Arbitrary<Fault> {
  return fc.record({
    match,
    times: fc.constantFrom(...times),
    effect: fc.constant({ kind: 'status' as const, status: 422, when: 'before-work' as const }),
  });
}

const callOfCreate = fc.constantFrom(
  { method: 'POST', path: '/projects/:p/endpoints' },
  { method: 'DELETE', path: '/projects/:p/endpoints/:e' },
  { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  { method: 'GET', path: '/projects/:p/endpoints' },
);

/** What makes a create of an endpoint fail, or hides what it has done. */
export const faultOfCreate: fc.Arbitrary<Fault> = fc.oneof(
  failingOperation,
  requestFaultOf(callOfCreate),
  refusedOf(callOfCreate),
);

const callOfChange = fc.constantFrom(
  { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  { method: 'POST', path: '/projects/:p/endpoints/:e/:verb' },
  { method: 'GET', path: '/projects/:p/operations' },
);

/** The lists that an update needs. */
const listOfChange = fc.constantFrom(
  { method: 'GET', path: '/projects/:p/operations' },
  { method: 'GET', path: '/projects/:p/endpoints' },
);

/** A proxy hides that the service has done its work. */
const hidden = proxyPageOf(callOfChange, fc.constant(1), 'after-work');

/** One step of a restart fails. */
export const failingRestart: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({ action: fc.constantFrom('suspend_compute' as const, 'start_compute' as const) }),
  times: fc.integer({ min: 1, max: 2 }),
  effect: fc.constant({ kind: 'operation-fails' as const, status: 'failed' as const }),
});

const start = { method: 'POST', path: '/projects/:p/endpoints/:e/start' } as const;
const suspend = { method: 'POST', path: '/projects/:p/endpoints/:e/suspend' } as const;

/** The service refuses one step of a restart. */
export const refusedRestart = refusedOf(fc.constantFrom(suspend, start), [1]);

/** The service refuses the second step of a restart. */
export const refusedStart: Fault = { match: start, times: 1, effect: { kind: 'status', status: 422 } };

const patch = { method: 'PATCH', path: '/projects/:p/endpoints/:e' } as const;

/** The first change is done, and its response takes a while. */
export const heldUpChange: Fault = { match: patch, times: 1, effect: { kind: 'slow', delayMs: 50 } };

/** The service refuses the changes after it. */
export const refusedChange: Fault = { match: patch, times: 4, effect: { kind: 'status', status: 422 } };

/** What makes a change of an endpoint fail, or hides what it has done. */
export const faultOfChange: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: failingOperation },
  { weight: 3, arbitrary: requestFaultOf(callOfChange) },
  { weight: 1, arbitrary: refusedOf(callOfChange) },
  { weight: 1, arbitrary: refusedOf(listOfChange, [3, 6]) },
  { weight: 1, arbitrary: hidden },
);
