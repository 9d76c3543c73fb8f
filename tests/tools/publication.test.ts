import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { pluginDownloadURL, publication, toDocument } from '../../tools/schema/publication';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !file.endsWith('.png'));

test('only publication.json, and what it writes, has placeholders', () => {
  const { publisher, ...addresses } = publication;
  const own = Object.values(addresses).sort((left, right) => right.length - left.length);
  const path = publication.repository.replace('https://', '');
  const image = path.replace(/^github\.com\/([^/]+)\/.*/, 'ghcr.io/$1').toLowerCase();
  // The publisher is one word, so it is a setting only in its own place.
  const fields = [`"author": "${publisher}"`, `"publisher": "${publisher}"`];
  const settings = [...own, ...fields, pluginDownloadURL, path, image];
  const withPlaceholder = files
    .filter((file) => !['publication.json', 'tests/tools/publication.test.ts'].includes(file))
    .filter((file) => {
      const text = settings.reduce((rest, value) => rest.replaceAll(value, ''), readFileSync(file, 'utf8'));
      // An address such as user@example.com is the reserved form for documentation, not a setting to fill in.
      return /(?<!@)\bexample\.(com|org|net)\b/.test(text);
    });

  expect(withPlaceholder).toEqual([]);
});

test.each(Object.entries(publication))('publication.json has a %s that the formats accept', (name, value) => {
  if (name === 'publisher') expect(value.trim()).not.toBe('');
  else expect(value).toMatch(/^https:\/\/\S+$/);
  if (name === 'repository') expect(value).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/);
});

test('the address of the image has no capital letters', () => {
  const before = { ...publication };
  onTestFinished(() => void Object.assign(publication, before));
  Object.assign(publication, { repository: 'https://github.com/Some-Owner/tools' });

  expect(toDocument('emulator/README.md')).toContain('ghcr.io/some-owner/postgres-control-emulator');
});

test("guides, examples and templates name the packages' version", () => {
  const { version } = JSON.parse(readFileSync('provider/package.json', 'utf8')) as { version: string };
  const named = files
    .filter((file) => /^(README\.md|docs\/|examples\/|templates\/|emulator\/(README|compose))/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const names = /(?:postgres-compute|emulator)(?:[ @:]|-v|-|>=|": "\^)(\d+\.\d+\.\d+)/g;
      const option = /\bversion: (\d+\.\d+\.\d+)\n +pluginDownloadURL/g;
      return [names, option].flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, found]) => [file, found]),
      );
    });

  expect(named.map(([file]) => file)).toEqual(
    expect.arrayContaining(['templates/yaml/Pulumi.yaml', 'templates/typescript/package.json']),
  );
  expect(named.filter(([, found]) => found !== version)).toEqual([]);
});
