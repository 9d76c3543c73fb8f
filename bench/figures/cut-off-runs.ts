import { doorNames } from '../../tests/support/program-doors';
import { countLeftProcesses, measureInterruption } from '../engine/cut-off';
import { atMost, type Figure } from '../figure';

/** How soon Ctrl-C ends a run that waits, and what a killed CLI leaves. The worst sample of each counts. */
export async function measureCutOffRuns(samples: number): Promise<Figure[]> {
  const repeat = async (measureOne: () => Promise<number>) => {
    const values: number[] = [];
    while (values.length < samples) values.push(await measureOne());
    return Math.max(...values);
  };
  const figures = [
    atMost({
      name: 'Ctrl-C during a create that waits, to the end of the CLI, plugin',
      // The dynamic provider is not told of Ctrl-C: the CLI waits for its create.
      value: (await repeat(() => measureInterruption('plugin'))) / 1000,
      limit: 1,
      unit: ' s',
    }),
  ];
  for (const door of doorNames)
    figures.push(
      atMost({
        name: `processes of the provider 3 s after \`kill -9\` of the CLI, ${door}`,
        value: await repeat(() => countLeftProcesses(door)),
        limit: 0,
      }),
    );
  return figures;
}
