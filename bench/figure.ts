/** One row of the table: what was measured, next to what it must reach and to what the baselines need. */
export interface Figure {
  readonly name: string;
  readonly bound: string;
  readonly measured: string;
  /** What the baselines came to, in the same run. */
  readonly baselines: string;
  readonly isMet: boolean;
  /** The numbers behind the texts, for the JSON file. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** The value below which that share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** A row of one number that must not be above a bound. */
export function atMost(row: {
  name: string;
  value: number;
  limit: number;
  unit?: string;
  baselines?: Readonly<Record<string, number>>;
}): Figure {
  const { name, value, limit, unit = '', baselines = {} } = row;
  return {
    name,
    bound: `<= ${show(limit)}${unit}`,
    measured: `${show(value)}${unit}`,
    baselines: Object.entries(baselines)
      .map(([of, number]) => `${of} ${show(number)}${unit}`)
      .join(', '),
    isMet: value <= limit,
    numbers: { value, limit, ...baselines },
  };
}

export function show(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(2);
}
