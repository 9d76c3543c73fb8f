// Which rows of the provider's table a run of the simulation reaches. The bundle puts `observeDecide` and `observeEvolve` around the
// two functions that the runs of the provider call (observed-source.ts); the provider itself exposes nothing.

/** A row has decided, or a run has learned something. */
export interface Decision {
  readonly kind: 'row' | 'event';
  /** The row that decided now, or last. */
  readonly row: string;
  /** The row that decided before; of an event, its kind. */
  readonly other: string | undefined;
}

type Listener = (decision: Decision) => void;

let listener: Listener | undefined;
/** The row that led to each situation. */
let rows = new WeakMap<object, string>();

/** Calls the listener with every decision from now on, in place of an earlier one. Returns a function that ends that. */
export function observeDecisions(listen: Listener): () => void {
  listener = listen;
  return () => {
    listener = undefined;
    rows = new WeakMap();
  };
}

export function observeDecide<Situation extends object>(decide: (situation: Situation) => string) {
  return (situation: Situation): string => {
    const row = decide(situation);
    listener?.({ kind: 'row', row, other: rows.get(situation) });
    rows.set(situation, row);
    return row;
  };
}

export function observeEvolve<Situation extends object, Rest extends readonly unknown[]>(
  evolve: (situation: Situation, event: { readonly kind: string }, ...rest: Rest) => Situation,
) {
  return (situation: Situation, event: { readonly kind: string }, ...rest: Rest): Situation => {
    const next = evolve(situation, event, ...rest);
    const row = rows.get(situation);
    if (row === undefined) return next;
    listener?.({ kind: 'event', row, other: event.kind });
    rows.set(next, row);
    return next;
  };
}

/** How often each row decided, followed another one, and met each kind of event. */
export class Coverage {
  readonly counts = new Map<string, number>();

  note({ kind, row, other }: Decision): void {
    this.#count(kind === 'row' ? `row ${row}` : `event ${row} / ${other}`);
    if (kind === 'row' && other !== undefined) this.#count(`transition ${other} > ${row}`);
  }

  addAll(counts: readonly (readonly [string, number])[]): void {
    for (const [what, times] of counts) this.#count(what, times);
  }

  of(kind: 'row' | 'event' | 'transition'): string[] {
    const prefix = `${kind} `;
    return [...this.counts.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  }

  /** One line. */
  describe(): string {
    const [rowCount, events, transitions] = (['row', 'event', 'transition'] as const).map(
      (kind) => this.of(kind).length,
    );
    return `coverage of the table: ${rowCount} rows, ${events} pairs of a row and a kind of event, ${transitions} transitions between rows`;
  }

  #count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }
}
