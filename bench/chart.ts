import { drawLogChart } from '../tests/support/log-chart';
import { type ClientName, clientOf } from './compared-clients';
import { measure, prepareProject, withEmulator } from './metered-emulator';

/** The results of one client for each number of endpoints. */
export interface Series {
  readonly client: ClientName;
  readonly points: readonly { readonly count: number; readonly requests: number; readonly ms: number }[];
}

const operationMs = 1_000;
/** The concurrency of `pulumi up` on 8 cores. Without a limit, the baselines measure how busy this process is. */
const atATime = 32;
/** The baselines respect no rate limit, so the provider gets none here either. */
const unlimited = 1_000_000;

const lineStyles: Readonly<Record<ClientName, { name: string; color: string; symbol: string }>> = {
  ours: { name: 'pulumi-postgres-compute', color: '#0b6e4f', symbol: 'circle' },
  a: { name: 'a: each operation every 100 ms', color: '#c0392b', symbol: 'triangle' },
  b: { name: 'b: each operation every 5 s', color: '#5b6770', symbol: 'rect' },
};

const axes = {
  requests: { title: 'Requests to make N endpoints', unit: 'requests', of: 1, min: 1 },
  ms: { title: 'Time to make N endpoints', unit: 'seconds', of: 1_000, min: 1 },
} as const;

/** Creates N endpoints in a project with concurrent operations, for each client and each N. Every point is measured. */
export async function measureSeries(counts: readonly number[]): Promise<Series[]> {
  const series: Series[] = [];
  for (const client of ['ours', 'a', 'b'] as const) {
    const points: Series['points'][number][] = [];
    for (const count of counts) {
      const point = await withEmulator({ operationMs, locks: 'none' }, async (emulator) => {
        const project = prepareProject(emulator);
        const create = clientOf(client, emulator, unlimited);
        return measure(emulator, () => project.createMany(create, count, { atATime }));
      });
      points.push({ count, ...point });
    }
    series.push({ client, points });
  }
  return series;
}

/** Draws one of the measures against the number of endpoints, as an SVG with logarithmic axes. */
export async function drawChart(series: readonly Series[], measureName: keyof typeof axes): Promise<string> {
  const { title, unit, of, min } = axes[measureName];
  return drawLogChart(
    { name: 'endpoints (N)' },
    { name: unit, min },
    {
      title: {
        text: title,
        subtext: `measured: one project, operations of ${operationMs / 1000} s side by side, ${atATime} creates at a time, no limit of requests`,
        left: 'center',
        subtextStyle: { color: '#555' },
      },
      // Without a browser, the width of a text is an estimate that is too small.
      legend: { bottom: 0, itemGap: 45, textStyle: { color: '#333' } },
      series: series.map(({ client, points }) => ({
        type: 'line',
        name: lineStyles[client].name,
        symbol: lineStyles[client].symbol,
        symbolSize: 9,
        lineStyle: { width: 2, color: lineStyles[client].color },
        itemStyle: { color: lineStyles[client].color },
        data: points.map((point) => [point.count, point[measureName] / of]),
      })),
    },
  );
}
