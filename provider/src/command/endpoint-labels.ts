import type { Endpoint } from '../control-api/wire-types';
import { describeSizeRange } from '../endpoint/compute-size';

/** The words of the service's console. It has none for init: a compute that was never up is as idle as one that is down. */
const wordOfState: ReadonlyMap<string, string> = new Map(
  Object.entries({ init: 'Idle', idle: 'Idle', active: 'Active' }),
);

/** The state as the console shows it, and where it is going: `Idle`, `Idle, soon Active`, `Stopped`. */
export function stateWord(endpoint: Pick<Endpoint, 'current_state' | 'pending_state' | 'disabled'>): string {
  const { current_state: current, pending_state: pending, disabled } = endpoint;
  const wordOf = (state: string) => {
    // Stopped is what nothing wakes: a disabled endpoint, once its compute is down.
    if (disabled && state !== 'active') return 'Stopped';
    return wordOfState.get(state) ?? state;
  };
  const word = wordOf(current);
  const next = pending === undefined ? word : wordOf(pending);
  return next === word ? word : `${word}, soon ${next}`;
}

export function sizeWord(endpoint: Endpoint): string {
  return describeSizeRange(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu);
}

/** When the compute is suspended: `never`, `after the default (300 s)`, `after 600 s`. */
export function suspendWord(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  if (seconds === -1) return 'never';
  return seconds === 0 ? 'after the default (300 s)' : `after ${seconds} s`;
}
