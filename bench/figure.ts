/** One row of the table: a measured value, its target, and the values of the baselines. */
export interface Figure {
  readonly name: string;
  /** Empty for a row without a target, which explains another row. */
  readonly bound: string;
  readonly measured: string;
  /** The values of the baselines in the same run. */
  readonly baselines: string;
  /** Absent when there is no bound. */
  readonly isMet?: boolean;
  /** The numbers behind the texts, for the JSON file. */
  readonly numbers: Readonly<Record<string, number>>;
}

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
  readonly baselines?: Readonly<Record<string, number>>;
  /** Further numbers, only for the JSON file. */
  readonly details?: Readonly<Record<string, number>>;
}

/** The value below which that share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** A row of one number that must not be above a bound. The verdict follows from the two numbers as they are shown. */
export function atMost({ limit, ...row }: Row & { readonly limit: number }): Figure {
  const figure = informative(row);
  return {
    ...figure,
    bound: `<= ${show(limit)}${row.unit ?? ''}`,
    isMet: Number(show(row.value)) <= Number(show(limit)),
    numbers: { ...figure.numbers, limit },
  };
}

/** A row of one number that must not be below a bound. */
export function atLeast({ limit, ...row }: Row & { readonly limit: number }): Figure {
  const isMet = Number(show(row.value)) >= Number(show(limit));
  return { ...atMost({ limit, ...row }), bound: `>= ${show(limit)}${row.unit ?? ''}`, isMet };
}

/** A row of one number without a bound. */
export function informative({ name, value, unit = '', baselines = {}, details = {} }: Row): Figure {
  return {
    name,
    bound: '',
    measured: `${show(value)}${unit}`,
    baselines: Object.entries(baselines)
      .map(([of, number]) => `${of} ${show(number)}${unit}`)
      .join(', '),
    numbers: { value, ...baselines, ...details },
  };
}

export function show(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(2);
}
