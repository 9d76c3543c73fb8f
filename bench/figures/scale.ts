import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawChart, measureSeries, type Series } from '../chart';
import { atMost, type Figure } from '../figure';

/** The largest number of endpoints against the smallest that is not dominated by what a single one costs. */
const reference = 100;

/** Draws the requests and the time of so many creates, and compares those of an endpoint in a large and a small project. */
export async function measureScale(counts: readonly number[], folder: string): Promise<Figure[]> {
  const series = await measureSeries(counts);
  await writeFile(join(folder, 'bench-requests.svg'), `${await drawChart(series, 'requests')}\n`);
  await writeFile(join(folder, 'bench-makespan.svg'), `${await drawChart(series, 'ms')}\n`);
  const [largest] = counts.slice(-1);
  const small = counts.find((count) => count >= Math.min(reference, (largest ?? 1) / 3));
  const share = (client: Series['client'], what: 'requests' | 'ms') => {
    const points = series.find((each) => each.client === client)?.points ?? [];
    const perEndpoint = (count?: number) =>
      (points.find((point) => point.count === count)?.[what] ?? Number.NaN) / (count ?? 1);
    return perEndpoint(largest) / perEndpoint(small);
  };
  return (['requests', 'ms'] as const).map((what) =>
    atMost({
      name: `${what === 'ms' ? 'time' : 'requests'} of each endpoint, ${largest} over ${small} in one project`,
      value: share('ours', what),
      limit: 1.1,
      baselines: { a: share('a', what), b: share('b', what) },
    }),
  );
}
