import { describeFigure, type Figure } from './figure';
import { groups } from './groups';

/** What was measured of one group, and of what. */
export interface Measured {
  readonly commit: string;
  /** Such as `2026-11-28`. */
  readonly date: string;
  /** Versions of the CLI and of Node.js, and the machine. */
  readonly with: string;
  /** The load of the machine when it began. */
  readonly load: number;
  readonly figures: readonly Figure[];
}

/** By the name of the group. */
export type Results = Readonly<Record<string, Measured>>;

const legend = `dynamic: the dynamic provider; plugin: the provider plugin. a: polls each operation every 100 ms and retries a locked project every
second. b: polls each operation every 5 s. c: a provider of the same kind (dynamic or plugin) that does nothing. n: this provider
without a rate limiter, so that each request that is refused waits by itself.`;

const charts: Readonly<Record<string, string>> = {
  scale: `
![Requests to create N endpoints, for this provider and the baselines](bench-requests.svg)

![Time to create N endpoints, for this provider and the baselines](bench-makespan.svg)
`,
};

/** The docs page of all results. */
export function describeResults(results: Results): string {
  const sections = Object.entries(groups).map(([name, { title }]) => {
    const measured = results[name];
    return `## ${title}\n\n${measured ? describeMeasured(measured) : 'Not measured.\n'}${charts[name] ?? ''}`;
  });
  return `# Benchmark results

Written by \`npm run bench\` ([how each figure is measured](../bench/README.md)). Bold: misses the target.

${legend}

${sections.join('\n')}`;
}

/** One section of the page. */
export function describeMeasured({ commit, date, with: tools, load, figures }: Measured): string {
  const heads = ['figure', 'target', 'measured', 'baselines'];
  const rows = [heads, heads.map(() => '---'), ...figures.map(describeFigure)];
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `Commit ${commit}, ${date}: ${tools}; load ${load.toFixed(1)} when it began.\n\n${table}\n`;
}
