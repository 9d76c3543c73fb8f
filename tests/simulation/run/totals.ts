import { excuses, rules, userRules, type Violation } from '../rules/rules';
import { Coverage } from './coverage';
import { countedEvents } from './journal';

/** What a process has found, as it sends it to another one. */
export interface ShareResult {
  readonly schedules: number;
  readonly counts: readonly (readonly [string, number])[];
  readonly failures: Totals['failures'];
  readonly coverage: readonly (readonly [string, number])[];
}

/** What a run has to reach at least: rows of the table, transitions between them, and schedules with branches in 1,000. */
const floors = { rows: 10, transitions: 28, branches: 266 };

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

  /** What was reached too seldom: without it, a run checks less than it seems to. */
  findBelow(kind: 'all' | 'users'): string[] {
    const thousands = this.schedules / 1_000;
    const below = (what: string, count: number, floor: number) =>
      count < floor ? [`${what}: ${count}, the floor is ${floor}`] : [];
    const least = Object.entries(kind === 'users' ? userRules : rules).flatMap(([rule, floor]) =>
      below(`the rule "${rule}"`, this.#count(`rule ${rule}`), floor * thousands),
    );
    if (kind === 'users') return least;
    return [
      ...least,
      ...below('rows of the table', this.coverage.of('row').length, floors.rows),
      ...below('transitions between rows', this.coverage.of('transition').length, floors.transitions),
      ...below(
        'schedules with branches',
        this.#count('schedules with branches'),
        floors.branches * thousands,
      ),
    ];
  }

  /** How often each rule was applied and each excuse used. */
  describeRules(): string[] {
    const uses = Object.entries(excuses).map(
      ([excuse, { rule }]) => `${this.#count(`excuse ${excuse}`)} x excuse of "${rule}": ${excuse}`,
    );
    return [
      ...Object.keys({ ...rules, ...userRules }).map(
        (rule) => `${this.#count(`rule ${rule}`)} x rule ${rule}`,
      ),
      ...uses,
    ];
  }

  #count(event: string): number {
    return this.counts.get(event) ?? 0;
  }

  /** One line. */
  describe(seconds: number): string {
    const perSecond = Math.round(this.schedules / Math.max(seconds, 0.001));
    const counted = countedEvents.map((event) => `${this.#count(event)} ${event}`);
    return `${this.schedules} schedules, ${this.failures.length} with violations, ${perSecond} schedules/s: ${counted.join(', ')}`;
  }
}
