/** One row of the table: a number, what it has to be, and the numbers of the baselines in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
  /** The target. A row without one explains another row. */
  readonly atMost?: number;
  /** The target, where more is better. */
  readonly atLeast?: number;
  readonly baselines?: Readonly<Record<string, number>>;
}

/** The value below which that share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Whether the value as it is shown meets the target as it is shown. */
export function isMet({ value, atMost = Infinity, atLeast = -Infinity }: Figure): boolean {
  const [shown, most, least] = [value, atMost, atLeast].map((number) => Number(show(number)));
  return Number(shown) <= Number(most) && Number(shown) >= Number(least);
}

/** The cells of the row. */
export function describeFigure(figure: Figure): string[] {
  const { name, value, unit = '', atMost, atLeast, baselines = {} } = figure;
  const withUnit = (number: number) => `${show(number)}${unit}`;
  const target = atMost === undefined ? '' : `<= ${withUnit(atMost)}`;
  return [
    name,
    atLeast === undefined ? target : `>= ${withUnit(atLeast)}`,
    isMet(figure) ? withUnit(value) : `**${withUnit(value)}**`,
    Object.entries(baselines)
      .map(([of, number]) => `${of} ${withUnit(number)}`)
      .join(', '),
  ];
}

function show(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(2);
}
