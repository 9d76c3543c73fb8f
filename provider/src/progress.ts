import type { Operation } from './control-api/wire-types';
import { consoleWord, describeOperation } from './operations/operation-outcome';

/** Says what is going on with one resource. */
export interface Progress {
  /** Shows a line in the resource's row until the next one takes its place. */
  show(message: string): void;
}

/** For what is not a resource of a running engine. */
export const silence: Progress = { show: () => undefined };

/** The operations in the console's words: `apply_config: OK, start_compute: In progress`. */
export function describeProgress(operations: readonly Operation[]): string {
  return operations.map(({ action, status }) => `${action}: ${consoleWord(status)}`).join(', ');
}

/** What a write waits for: `waiting: project locked by create_branch op-7 running`. */
export function describeBlockers(blocking: readonly Operation[]): string {
  return `waiting: project locked by ${blocking.map(describeOperation).join(', ')}`;
}
