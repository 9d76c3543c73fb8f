import type { Figure } from './figure';

/** What the letters of the baselines mean. */
export const legend =
  'dynamic: the dynamic provider; plugin: the provider plugin. a: polls each operation every 100 ms and retries a locked project every second. b: polls each operation every 5 s. c: a provider of the same kind (dynamic or plugin) that does nothing. n: this provider without a rate limiter, so that each request that is refused waits by itself.';

/** The docs page that a complete run writes. */
export function describeResults(figures: readonly Figure[], machine: string): string {
  const rows = figures.map(({ name, bound, measured, baselines, isMet }) => [
    name,
    bound,
    isMet === false ? `**${measured}**` : measured,
    baselines,
  ]);
  const table = [['figure', 'target', 'measured', 'baselines'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
  return `# Benchmark results

Written by \`npm run bench\` ([how each figure is measured](../bench/README.md)), ${machine}. Bold: misses
the target.

${table}

${legend}

![Requests to create N endpoints, for this provider and the baselines](bench-requests.svg)

![Time to create N endpoints, for this provider and the baselines](bench-makespan.svg)
`;
}
