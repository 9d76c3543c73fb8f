import type { Violation } from '../rules/rules';
import { Coverage } from './coverage';
import { type CountedEvent, countedEvents } from './journal';

/** What a process has found, as it sends it to another one. */
export interface ShareResult {
  readonly schedules: number;
  readonly counts: readonly (readonly [string, number])[];
  readonly failures: Totals['failures'];
  readonly coverage: readonly (readonly [string, number])[];
}

/** The least that a run has to reach; undefined: anything. */
export interface Floors {
  readonly rows?: number | undefined;
  readonly transitions?: number | undefined;
  readonly branches?: number | undefined;
}

/** The sums over many schedules. */
export class Totals {
  schedules = 0;
  readonly counts = new Map<string, number>();
  readonly coverage = new Coverage();
  /** The seeds that broke an invariant, with what they broke. */
  readonly failures: { readonly seed: number; readonly violations: readonly Violation[] }[] = [];

  add(seed: number, violations: readonly Violation[], counts: ReadonlyMap<string, number>): void {
    this.schedules += 1;
    for (const [event, times] of counts) this.counts.set(event, (this.counts.get(event) ?? 0) + times);
    if (violations.length > 0) this.failures.push({ seed, violations });
  }

  addAll({ schedules, counts, failures, coverage }: ShareResult): void {
    this.schedules += schedules;
    for (const [event, times] of counts) this.counts.set(event, (this.counts.get(event) ?? 0) + times);
    this.failures.push(...failures);
    this.coverage.addAll(coverage);
  }

  /** What of the floors was not reached. */
  findBelow({ rows, transitions, branches }: Floors): string[] {
    const reached = {
      rows: [this.coverage.of('row').length, rows],
      transitions: [this.coverage.of('transition').length, transitions],
      'schedules with branches': [this.counts.get('schedules with branches') ?? 0, branches],
    };
    return Object.entries(reached).flatMap(([what, [count = 0, floor = 0]]) =>
      count < floor ? [`only ${count} ${what}, the floor is ${floor}`] : [],
    );
  }

  /** One line. */
  describe(seconds: number): string {
    const perSecond = Math.round(this.schedules / Math.max(seconds, 0.001));
    const counted = countedEvents.map((event: CountedEvent) => `${this.counts.get(event) ?? 0} ${event}`);
    return `${this.schedules} schedules, ${this.failures.length} with violations, ${perSecond} schedules/s: ${counted.join(', ')}`;
  }
}
