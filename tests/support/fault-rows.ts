import type { Fault } from 'postgres-control-emulator';

// The faults and programs that many rows share.

export const failing = (action: string, times = 1): Fault => ({
  match: { action },
  times,
  effect: { kind: 'operation-fails', error: 'no capacity' },
});
export const hanging = (action: string): Fault => ({
  match: { action },
  effect: { kind: 'operation-hangs' },
});

export const patch = { method: 'PATCH', path: '/projects/:p/endpoints/:e' };
export const start = { method: 'POST', path: '/projects/:p/endpoints/:e/start' };
export const suspend = { method: 'POST', path: '/projects/:p/endpoints/:e/suspend' };
export const create = { method: 'POST', path: '/projects/:p/endpoints' };
export const listOperations = { method: 'GET', path: '/projects/:p/operations' };

export const refused = (match: Fault['match'], times: number | 'always' = 1): Fault =>
  ({ match, times, effect: { kind: 'status', status: 403 } }) as Fault;

export const larger = { autoscalingLimitMaxCu: 2 };
export const pooled = { poolerEnabled: true };
export const triggered = { restartTriggers: { release: '2' } };
export const notWaiting = { waitForOperations: false };
/** Long enough for every operation. Milliseconds. */
export const longMs = 10_000;
/** For `requests`: none that an update of an endpoint could send. */
export const none = {
  ...{ 'GET endpoints': 0, 'GET endpoint': 0, 'GET operations': 0 },
  ...{ 'PATCH endpoint': 0, 'POST suspend': 0, 'POST start': 0 },
};
