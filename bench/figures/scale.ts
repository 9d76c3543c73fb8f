import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientName, clientOf } from '../compared-clients';
import type { Figure } from '../figure';
import { measure, prepareProject, withEmulator } from '../metered-emulator';

/** What one client needs for so many endpoints. */
interface Point {
  readonly count: number;
  readonly requests: number;
  readonly seconds: number;
}
type Series = Readonly<Record<ClientName, readonly Point[]>>;

/** The largest number of endpoints is compared with the smallest that is not dominated by what a single one costs. */
const reference = 100;
/** The concurrency of `pulumi up` on 8 cores. Without a limit, the baselines measure how busy this process is. */
const atATime = 32;
/** The baselines respect no rate limit, so the provider gets none here either. */
const unlimited = 1_000_000;

const lineStyles: Readonly<Record<ClientName, { name: string; color: string; symbol: string }>> = {
  ours: { name: 'pulumi-postgres-compute', color: '#0b6e4f', symbol: 'circle' },
  a: { name: 'a: each operation every 100 ms', color: '#c0392b', symbol: 'triangle' },
  b: { name: 'b: each operation every 5 s', color: '#5b6770', symbol: 'rect' },
};

/** Draws the requests and the time of so many creates, and compares those of an endpoint in a large and a small project. */
export async function measureScale(counts: readonly number[], folder: string): Promise<Figure[]> {
  const series: Series = {
    ours: await measurePoints('ours', counts),
    a: await measurePoints('a', counts),
    b: await measurePoints('b', counts),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'bench-requests.svg'), await drawChart(series, 'requests', 'Requests'));
  await writeFile(join(folder, 'bench-makespan.svg'), await drawChart(series, 'seconds', 'Time'));
  const largest = Math.max(...counts);
  const small = counts.find((count) => count >= Math.min(reference, largest / 3));
  const growth = (client: ClientName, what: 'requests' | 'seconds') => {
    const [first, last] = series[client].filter(({ count }) => count === small || count === largest);
    return first && last ? last[what] / last.count / (first[what] / first.count) : Number.NaN;
  };
  return (['requests', 'seconds'] as const).map((what) => ({
    name: `${what === 'seconds' ? 'time' : 'requests'} of each endpoint, ${largest} over ${small} in one project`,
    value: growth('ours', what),
    atMost: 1.1,
    baselines: { a: growth('a', what), b: growth('b', what) },
  }));
}

/** Creates the endpoints in a project whose operations take 1 s and run side by side. Every point is measured. */
async function measurePoints(client: ClientName, counts: readonly number[]): Promise<Point[]> {
  const points: Point[] = [];
  for (const count of counts) {
    const { ms, requests } = await withEmulator({ operationMs: 1_000, locks: 'none' }, (emulator) => {
      const create = clientOf(client, emulator, unlimited);
      const project = prepareProject(emulator);
      return measure(emulator, () => project.createMany(create, count, { atATime }));
    });
    points.push({ count, requests, seconds: ms / 1_000 });
  }
  return points;
}

/** An SVG with logarithmic axes. */
async function drawChart(series: Series, what: 'requests' | 'seconds', measured: string): Promise<string> {
  const { init } = await import('echarts');
  const axis = { type: 'log', nameLocation: 'middle' } as const;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 760, height: 460 });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { color: '#333' },
    title: {
      text: `${measured} to make N endpoints`,
      subtext: `measured: one project, operations of 1 s side by side, ${atATime} creates at a time, no limit of requests`,
      left: 'center',
    },
    grid: { left: 80, right: 40, top: 75, bottom: 85 },
    xAxis: { ...axis, name: 'endpoints (N)', nameGap: 28 },
    yAxis: { ...axis, name: what, nameGap: 52, min: 1 },
    // Without a browser, the width of a text is an estimate that is too small.
    legend: { bottom: 0, itemGap: 45 },
    series: Object.entries(lineStyles).map(([client, { color, ...style }]) => ({
      ...style,
      type: 'line',
      symbolSize: 9,
      color,
      data: series[client as ClientName].map((point) => [point.count, point[what]]), // The keys are client names.
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
