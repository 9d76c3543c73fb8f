import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import type { TrialReport } from './trial-project';

const page = join(__dirname, '../../docs/limits.md');
const place = /(?<=<!-- Written by `npm run versions -- --record` -->\n)[\s\S]*?(?=\n<!--)/;

/** Writes the versions with which every trial has passed into docs/limits.md. */
export function recordVersions(reports: readonly TrialReport[]): void {
  const today = new Date().toISOString().slice(0, 10);
  const list = (name: keyof TrialReport) => {
    const versions = [...new Set(reports.flatMap((report) => report[name]?.replace(/^v/, '') ?? []))];
    return versions.sort((left, right) => left.localeCompare(right, 'en', { numeric: true })).join(', ');
  };
  const lines = [
    `Tested on ${today}, each with a real \`pulumi up\`, preview and destroy:`,
    '',
    `- Node.js ${list('node')}`,
    `- \`@pulumi/pulumi\` ${list('pulumi')}`,
    `- TypeScript ${list('typescript')}`,
    `- Pulumi CLI ${findPulumiCli()?.version}`,
  ];
  const text = readFileSync(page, 'utf8');
  if (!place.test(text)) throw new Error('docs/limits.md has no place for the tested versions.');
  writeFileSync(page, text.replace(place, lines.join('\n')));
}
