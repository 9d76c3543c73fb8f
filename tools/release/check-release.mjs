// Fails unless the tag is the version of everything that is published, and publication.json names this repository:
// node tools/release/check-release.mjs TAG REPOSITORY_URL
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [, , tag = '', url] = process.argv;
const root = fileURLToPath(new URL('../..', import.meta.url));
/** @param {string} file */
const read = (file) => JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));
/** @param {string} problem */
const report = (problem) => {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
};

for (const file of ['provider/package.json', 'emulator/package.json', 'provider/plugin/schema.json']) {
  const { version } = read(file);
  if (`v${version}` !== tag) report(`${file} has version ${version}, but the tag is ${tag}.`);
}
const settings = read('publication.json');
if (settings.repository !== url)
  report(`publication.json has the repository ${settings.repository}, but this one is ${url}.`);
for (const [name, value] of Object.entries(settings))
  if (/example\.com/.test(value)) report(`publication.json has the placeholder ${value} for ${name}.`);
