import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import type { PackedPackage } from './pack-packages';

const repository = join(__dirname, '..', '..');

const requiredFiles = ['LICENSE', 'README.md', 'package.json'];
/** The files that belong in the packages. */
const allowedFiles: Readonly<Record<string, readonly RegExp[]>> = {
  'pulumi-postgres-compute': [/^dist\/.+\.(js|d\.ts|LEGAL\.txt)$/, /^bin\/[\w-]+\.js$/, /^plugin\/[\w.-]+$/],
  'postgres-control-emulator': [
    /^dist\/.+\.(js|d\.ts)$/,
    /^bin\/[\w-]+\.js$/,
    /^console\/[\w-]+\.(js|css|html|svg)$/,
  ],
};
const neverPacked = /\.test\.|(^|\/)\.|\.map$/;

/** The Pulumi host requires it at run time. No program imports it, so old module resolutions need not find its types. */
const hostEntryPoints = ['./runtime'];

/** The problems of a tarball, one line each. This installs nothing. */
export async function findPackageProblems(packed: PackedPackage): Promise<string[]> {
  const findings = await Promise.all([
    findFileProblems(packed),
    findPublintProblems(packed),
    findTypeProblems(packed),
  ]);
  return findings.flat().map((finding) => `${packed.name}: ${finding}`);
}

async function findFileProblems({ name, files: packed }: PackedPackage): Promise<string[]> {
  const files = packed.map(({ path }) => path);
  const allowed = allowedFiles[name] ?? [];
  const isExpected = (file: string) =>
    requiredFiles.includes(file) || (allowed.some((form) => form.test(file)) && !neverPacked.test(file));
  const folder = name === 'pulumi-postgres-compute' ? 'provider' : 'emulator';
  const [license, own] = await Promise.all([readText('LICENSE'), readText(join(folder, 'LICENSE'))]);
  return [
    ...files.filter((file) => !isExpected(file)).map((file) => `${file} is packed, but should not be`),
    ...requiredFiles.filter((file) => !files.includes(file)).map((file) => `${file} is not packed`),
    ...(license === own ? [] : [`${folder}/LICENSE is not the repository's LICENSE`]),
  ];
}

function readText(path: string): Promise<string> {
  return readFile(join(repository, path), 'utf8').catch(() => '');
}

async function findPublintProblems({ tarball }: PackedPackage): Promise<string[]> {
  // These are ES modules only.
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const content = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(content).buffer },
    strict: true,
  });
  return messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`);
}

/** Checks the types for CommonJS, ES modules, bundlers and `moduleResolution: node`. */
async function findTypeProblems({ name, tarball }: PackedPackage): Promise<string[]> {
  const excluded = name === 'pulumi-postgres-compute' ? hostEntryPoints : [];
  const command = join(repository, 'node_modules', '.bin', 'attw');
  const args = [tarball, '--format', 'ascii', '--no-emoji', '--no-color'];
  if (excluded.length > 0) args.push('--exclude-entrypoints', ...excluded);
  const { exitCode, all } = await execa(command, args, { all: true, reject: false });
  return exitCode === 0 ? [] : [`attw: ${all}`];
}
