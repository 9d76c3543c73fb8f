import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePackageSchema } from './package-schema';

const file = join(__dirname, '../../provider/plugin/schema.json');
const text = `${JSON.stringify(makePackageSchema(), null, 2)}\n`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write(
    'provider/plugin/schema.json does not match the docstrings and types: run `npm run schema` and commit it.\n',
  );
  process.exitCode = 1;
}
