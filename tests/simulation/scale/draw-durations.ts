import { drawLogChart } from '../../support/log-chart';

interface Series {
  readonly name: string;
  readonly points: readonly { readonly runners: number; readonly ms: number }[];
}

/** Draws how long each work takes with so many runners, as an SVG with logarithmic axes. */
export async function drawDurations(
  series: readonly Series[],
  { stacks, endpoints }: { stacks: number; endpoints: number },
): Promise<string> {
  return drawLogChart(
    { name: 'runners, each with one stack at a time', min: 1 },
    { name: 'minutes', min: 1 },
    {
      color: ['#0b6e4f', '#2a5caa', '#c0392b'],
      title: {
        text: `Time for ${stacks * endpoints} endpoints in ${stacks} stacks`,
        subtext: 'simulated: one account of 700 requests a minute, operations of 5 s',
        left: 'center',
      },
      legend: { bottom: 0, itemGap: 45 },
      series: series.map(({ name, points }) => ({
        type: 'line',
        name,
        symbolSize: 9,
        data: [...points]
          .sort((left, right) => left.runners - right.runners)
          .map(({ runners, ms }) => [runners, ms / 60_000]),
      })),
    },
  );
}
