import { type ClientName, clientOf, measure, prepareProject, withEmulator } from './service';

/** How one client did with each number of endpoints. */
export interface Series {
  readonly client: ClientName;
  readonly points: readonly { readonly count: number; readonly requests: number; readonly ms: number }[];
}

const operationMs = 1_000;
const labels: Readonly<Record<ClientName, string>> = {
  ours: 'pulumi-postgres-compute',
  a: 'a: each operation every 100 ms',
  b: 'b: each operation every 5 s',
};

/** Makes N endpoints at once in a project whose operations of 1 s run side by side, for each N and each client. */
export async function measureSeries(counts: readonly number[]): Promise<Series[]> {
  const series: Series[] = [];
  for (const client of ['ours', 'a', 'b'] as const) {
    const points = [];
    for (const count of counts) {
      const point = await withEmulator({ operationMs, locks: 'none' }, async (emulator) => {
        const project = prepareProject(emulator);
        // Without the account's limit, which the baselines do not keep.
        const create = clientOf(client, emulator, 1_000_000);
        return { count, ...(await measure(emulator, () => project.createMany(create, count))) };
      });
      points.push(point);
    }
    series.push({ client, points });
  }
  return series;
}

/** An SVG of one of the measures against the number of endpoints, both axes logarithmic. */
export async function drawChart(series: readonly Series[], measureName: 'requests' | 'ms'): Promise<string> {
  const { init } = await import('echarts');
  const isTime = measureName === 'ms';
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 760, height: 440 });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    color: ['#0b6e4f', '#c0392b', '#7f8c8d'],
    title: {
      text: isTime ? 'Time to make N endpoints' : 'Requests to make N endpoints',
      subtext: 'one project, operations of 1 s side by side, no limit of requests',
      left: 'center',
    },
    legend: { bottom: 0 },
    grid: { left: 80, right: 30, top: 70, bottom: 80 },
    xAxis: { type: 'log', name: 'endpoints (N)', nameLocation: 'middle', nameGap: 28 },
    yAxis: { type: 'log', name: isTime ? 'seconds' : 'requests', min: isTime ? 0.5 : 1 },
    series: series.map(({ client, points }) => ({
      type: 'line',
      name: labels[client],
      symbolSize: 8,
      data: points.map(({ count, requests, ms }) => [count, isTime ? ms / 1000 : requests]),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
