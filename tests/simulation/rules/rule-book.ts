import type { Journal } from '../run/journal';
import type { Excuse, Rule, Violation } from './rules';

/** Counts how often a schedule applies each rule and needs each excuse, and keeps what it breaks. */
export class RuleBook {
  readonly violations: Violation[] = [];
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get isBroken(): boolean {
    return this.violations.length > 0;
  }

  /** Applies a rule. @param what says how it was broken */
  check(rule: Rule, isKept: boolean, what: () => string): void {
    this.#journal.count(`rule ${rule}`);
    if (!isKept) this.violations.push({ rule, what: what() });
  }

  violate(rule: Rule, what: string): void {
    this.check(rule, false, () => what);
  }

  /** Uses an excuse. Always true, so that it can follow the condition. */
  excuse(excuse: Excuse): true {
    this.#journal.count(`excuse ${excuse}`);
    return true;
  }
}
