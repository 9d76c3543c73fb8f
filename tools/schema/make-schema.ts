// Writes the package schema, and the settings of publication.json where others read them: npm run schema
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toChooser } from './examples';
import { makePackageSchema } from './package-schema';
import { toDocument, toPackageJson } from './publication';

const documents = [
  'README.md',
  'docs/branches.md',
  'docs/installation-configuration.md',
  'docs/plugin.md',
  'examples/quickstart-yaml/README.md',
  'templates/yaml/Pulumi.yaml',
  'emulator/README.md',
  'emulator/compose.yaml',
];
/** In this order: the examples in the schema and in the Registry's page are those of the documents. */
const files: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(documents.map((name) => [name, () => toDocument(name)])),
  'docs/_index.md': () => toIndexPage('docs/_index.md'),
  'provider/plugin/schema.json': () => `${JSON.stringify(makePackageSchema(), null, 2)}\n`,
  'provider/package.json': () => toPackageJson('provider'),
  'emulator/package.json': () => toPackageJson('emulator'),
};

/** The Registry's first page, which ends with the example. */
function toIndexPage(file: string): string {
  const [introduction] = readFileSync(join(__dirname, '../..', file), 'utf8').split('{{< chooser');
  return introduction + toChooser();
}

for (const [name, makeText] of Object.entries(files)) {
  const text = makeText();
  const file = join(__dirname, '../..', name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `${name} does not match the docstrings, the types and publication.json: run \`npm run schema\` and commit it.\n`,
    );
    process.exitCode = 1;
  }
}
