import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the owner sets before the first release: publication.json. */
export interface Publication {
  readonly repository: string;
  readonly publisher: string;
  readonly homepage: string;
  readonly logo: string;
}

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'publication.json'), 'utf8');
export const publication = JSON.parse(text) as Publication; // This repository's own file.

/** Where the CLI finds the releases: `github://api.github.com/OWNER/REPOSITORY`. */
export const pluginDownloadURL = publication.repository.replace(
  'https://github.com/',
  'github://api.github.com/',
);
/** The Go module of the SDK is a folder of the repository. */
export const goImportPath = `${publication.repository.replace('https://', '')}/sdk/go/postgrescompute`;

/** A `package.json` with the settings: npm reads them from nowhere else. */
export function toPackageJson(folder: string): string {
  const { repository, publisher: author, homepage } = publication;
  const { name, version, description, ...rest } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  const url = `git+${repository}.git`;
  const settings = { author, homepage, repository: { type: 'git', url, directory: folder } };
  return `${JSON.stringify({ name, version, description, ...rest, ...settings }, null, 2)}\n`;
}

/** A document whose commands and Go programs name the repository. */
export function toDocument(file: string): string {
  const [owner = ''] = publication.repository.replace('https://github.com/', '').split('/');
  return readFileSync(join(root, file), 'utf8')
    .replaceAll(/https:\/\/[^\s/]+\/\S+(?=\/tree\/main\/templates)/g, publication.repository)
    .replaceAll(/github:\/\/api\.github\.com\/\S+/g, pluginDownloadURL)
    .replaceAll(/ghcr\.io\/[^/\s]+(?=\/postgres-control-emulator)/g, `ghcr.io/${owner.toLowerCase()}`)
    .replaceAll(/"[^"\s]*\/sdk\/go\/postgrescompute"/g, `"${goImportPath}"`);
}
