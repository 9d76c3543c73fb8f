import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished, statusLabel } from '../operations/operation-outcome';

/** How long to show the same text before repeating it; the interval then doubles. Milliseconds. */
const firstRepeatMs = 10_000;

/**
 * Shows the progress of one resource. New text appears at once, and unchanged text at growing intervals: a terminal
 * counts the seconds itself, and the log of a pipeline keeps each line.
 */
export class Progress {
  readonly #showLine: (line: string) => void;
  #shown = '';
  #repeatAtMs = 0;

  constructor(showLine: (line: string) => void) {
    this.#showLine = showLine;
  }

  /** @param waitedMs how long the caller has waited so far, in milliseconds */
  show(what: string, waitedMs: number): void {
    if (what === '') return; // Nothing runs.
    const isNew = what !== this.#shown;
    if (!isNew && waitedMs < this.#repeatAtMs) return;
    this.#shown = what;
    this.#repeatAtMs = isNew && waitedMs < firstRepeatMs ? firstRepeatMs : waitedMs * 2;
    const seconds = Math.round(waitedMs / 1000);
    this.#showLine(seconds > 0 ? `${what}, ${seconds} s` : what);
  }
}

/** What runs, and how far that is: `start_compute, 3 of 3`; one alone has no position. Nothing once every operation has ended. */
export function describeRunning(operations: readonly Operation[]): string {
  const unfinished = operations.filter(isUnfinished);
  const [operation] = unfinished;
  if (!operation) return '';
  const { action, failures_count } = operation;
  const total = operations.length;
  const position = total > 1 ? [`${total - unfinished.length + 1} of ${total}`] : [];
  return [action, ...position, ...describeFailures(failures_count)].join(', ');
}

/** The operations with the console's labels: `apply_config: OK, start_compute: In progress, 1 failure`. */
export function describeProgress(operations: readonly Operation[]): string {
  return operations.map((operation) => `${operation.action}: ${describeStatus(operation)}`).join(', ');
}

function describeStatus({ status, failures_count: failures }: Operation): string {
  return [statusLabel(status), ...describeFailures(failures)].join(', ');
}

function describeFailures(count: number): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'failure' : 'failures'}`];
}

/** Why nothing is sent: `waiting for the service, which returned 429: 60 s`. */
export function describePause(pauseMs: number): string {
  return `waiting for the service, which returned 429: ${Math.ceil(pauseMs / 1_000)} s`;
}

/** The operations that a write waits for, any of which may lock the project: `waiting for the project: create_branch op-7 running`. */
export function describeBlockers(blocking: readonly Operation[]): string {
  return `waiting for the project: ${blocking.map(describeOperation).join(', ')}`;
}
