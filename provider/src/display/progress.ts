import type { Operation } from '../control-api/wire-types';
import { describeOperation, statusLabel } from '../operations/operation-outcome';

/** Says what is going on with one resource. */
export interface Progress {
  /**
   * Shows what goes on, and for how long it was waited for, in the resource's row until the next one takes its place.
   * @param waitedMs milliseconds
   */
  show(what: string, waitedMs: number): void;
}

/** For what is not a resource of a running engine. */
export const silence: Progress = { show: () => undefined };

/** How long the same thing goes on before it is said again; then twice as long, and so on. Milliseconds. */
const firstRepeatMs = 10_000;

/**
 * Says at once what is new, and what goes on ever more rarely: on a terminal Pulumi's own row counts the seconds, and
 * in the log of a pipeline each line stays.
 */
export class ProgressLines implements Progress {
  readonly #say: (line: string) => void;
  #shown = '';
  #repeatAtMs = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  show(what: string, waitedMs: number): void {
    const isNew = what !== this.#shown;
    if (!isNew && waitedMs < this.#repeatAtMs) return;
    this.#shown = what;
    this.#repeatAtMs = isNew && waitedMs < firstRepeatMs ? firstRepeatMs : waitedMs * 2;
    const seconds = Math.round(waitedMs / 1000);
    this.#say(seconds > 0 ? `${what} (${seconds} s)` : what);
  }
}

/** The operations in the console's words: `apply_config: OK, start_compute: In progress, 1 retry`. */
export function describeProgress(operations: readonly Operation[]): string {
  return operations.map((operation) => `${operation.action}: ${describeStatus(operation)}`).join(', ');
}

function describeStatus({ status, failures_count: failures }: Operation): string {
  const word = statusLabel(status);
  if (failures === 0) return word;
  return `${word}, ${failures} ${failures === 1 ? 'retry' : 'retries'}`;
}

/** What a write waits for: `waiting: project locked by create_branch op-7 running`. */
export function describeBlockers(blocking: readonly Operation[]): string {
  return `waiting: project locked by ${blocking.map(describeOperation).join(', ')}`;
}
