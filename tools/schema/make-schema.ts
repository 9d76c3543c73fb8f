// Writes the package schema, and the settings of publication.json where others read them: npm run schema
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePackageSchema } from './package-schema';
import { toDocument, toPackageJson } from './publication';

const documents = [
  'README.md',
  'docs/plugin.md',
  'examples/quickstart-python/README.md',
  'examples/quickstart-yaml/README.md',
];
const texts: Readonly<Record<string, string>> = {
  'provider/plugin/schema.json': `${JSON.stringify(makePackageSchema(), null, 2)}\n`,
  'provider/package.json': toPackageJson('provider'),
  'emulator/package.json': toPackageJson('emulator'),
  ...Object.fromEntries(documents.map((name) => [name, toDocument(name)])),
};

for (const [name, text] of Object.entries(texts)) {
  const file = join(__dirname, '../..', name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `${name} does not match the docstrings, the types and publication.json: run \`npm run schema\` and commit it.\n`,
    );
    process.exitCode = 1;
  }
}
