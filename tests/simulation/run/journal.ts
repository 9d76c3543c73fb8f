import type { Excuse, Rule } from '../rules/rules';

/** What a schedule went through. The totals of a run add these up. */
export const countedEvents = [
  'rounds',
  'runs',
  'previews',
  'refreshes',
  'requests',
  'schedules with branches',
  'creates',
  'creates of branches',
  'updates',
  'deletes',
  'replacements',
  'replacements of branches',
  'forced replacements',
  'partial states',
  'failed runs',
  'kills of CLI and host',
  'kills of the CLI',
  'kills of the host',
  'interruptions',
  'runs refused by the lock',
  'edits before a repair',
  'lost requests',
  'lost responses',
  'duplicated requests',
  'stalled requests',
  'broken responses',
  'odd statuses',
  'proxy pages',
  'late reads',
  '423',
  '429',
  'failed operations',
  'hanging operations',
  'changes by others',
  'foreign objects',
  'adoptions',
  'renames',
  'clock steps',
  'steps of users',
  'previews of users',
  'runs of users',
  'refused previews',
  'reverted steps',
] as const;

export type CountedEvent = (typeof countedEvents)[number] | `rule ${Rule}` | `excuse ${Excuse}`;

/** Counts what happens in a schedule and, on request, writes its story. */
export class Journal {
  readonly counts = new Map<CountedEvent, number>();
  readonly #lines: string[] | undefined;
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number, isTold: boolean) {
    this.#elapsedMs = elapsedMs;
    this.#lines = isTold ? [] : undefined;
  }

  /** Who did what at which virtual time, one line each; empty unless it is told. */
  get story(): readonly string[] {
    return this.#lines ?? [];
  }

  count(event: CountedEvent, times = 1): void {
    if (times > 0) this.counts.set(event, (this.counts.get(event) ?? 0) + times);
  }

  /** @param what makes the text, which only a told story needs */
  note(who: string, what: () => string): void {
    if (!this.#lines) return;
    const seconds = (this.#elapsedMs() / 1000).toFixed(3).padStart(9);
    this.#lines.push(`${seconds} s  ${who.padEnd(14)} ${what()}`);
  }
}
