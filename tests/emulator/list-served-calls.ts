import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOfficialDescription } from '../support/official-description';
import { listServedCalls } from '../support/served-calls';

// Writes the calls that the emulator serves into docs/emulator.md: its own routes, with the names in the official description.

const page = join(__dirname, '../../docs/emulator.md');
const MARKED = /(<!-- served calls: npm run docs -->\n)[\s\S]*(\n<!-- end of served calls -->)/;

const { paths } = readOfficialDescription<{
  paths: Record<string, Record<string, { operationId: string }>>;
}>();
const rows = [...listServedCalls()].map(([path, methods]) => {
  const calls = methods.map((method) => {
    const call = paths[path]?.[method];
    if (call === undefined) throw new Error(`${method} ${path} is not in the official description`);
    return `${method.toUpperCase()} ${call.operationId}`;
  });
  return `| \`${path}\` | ${calls.join(', ')} |`;
});
const table = ['| path | methods, and their names in the OpenAPI description |', '| --- | --- |', ...rows];

const text = readFileSync(page, 'utf8');
if (!MARKED.test(text)) throw new Error(`${page} has no place for the served calls`);
writeFileSync(page, text.replace(MARKED, `$1\n${table.join('\n')}\n$2`));
