// Generates the SDKs for Python and Go into .sdk with the code generators of the pinned engine, and builds the Python package:
// npm run sdk
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { findPython } from '../../tests/fuzz/python-tools';
import { codeBlock } from '../../tests/support/documents';
import { goEnvironment, withoutSecrets } from '../child-environment.mjs';
import { publication } from '../schema/publication';

const root = join(__dirname, '../..');
const schema = join(root, 'provider/plugin/schema.json');
const requirements = join(__dirname, 'requirements.txt');
const folder = join(root, '.sdk');
/** What a program in Python installs: the SDK, and the packages of `requirements.txt`. */
const wheels = join(folder, 'wheels');

async function makeSdk(): Promise<void> {
  for (const language of ['python', 'go']) await generate(language);
  const python = await findPython();
  await downloadRequirements(python.command, python.version);
  writeFileSync(join(folder, 'python/README.md'), describePackage());
  const build = ['wheel', '--no-deps', '--no-index', '--find-links', wheels, '--wheel-dir', wheels];
  await pip(python.command, ...build, join(folder, 'python'));
  copyFileSync(schema, join(folder, 'schema.json'));
}

/** What PyPI shows. */
function describePackage(): string {
  const { description } = JSON.parse(readFileSync(schema, 'utf8'));
  const program = codeBlock('docs/plugin.md', 'python', 'Python');
  const more = `It downloads the provider plugin, which needs Node.js. More: ${publication.homepage}`;
  return `# pulumi-postgres-compute\n\n${description}\n\n\`\`\`python\n${program}\`\`\`\n\n${more}\n`;
}

async function generate(language: string): Promise<void> {
  const sources = join(folder, language);
  rmSync(sources, { recursive: true, force: true });
  await execa('go', ['run', '-trimpath', './generate-sdk', language, schema, sources], {
    cwd: join(root, 'tools/pulumi-cli/cli'),
    env: goEnvironment(process.env),
    extendEnv: false,
    stderr: 'inherit',
  });
}

async function downloadRequirements(python: string, version: string): Promise<void> {
  const stamp = join(folder, 'downloaded');
  const wanted = `${version} ${createHash('sha256').update(readFileSync(requirements)).digest('hex')}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(wheels, { recursive: true, force: true });
  mkdirSync(wheels, { recursive: true });
  const verified = ['--require-hashes', '--only-binary', ':all:', '--requirement', requirements];
  await pip(python, 'download', ...verified, '--dest', wheels);
  writeFileSync(stamp, wanted);
}

async function pip(python: string, ...words: string[]): Promise<void> {
  const options = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const env = withoutSecrets(process.env);
  await execa(python, [...options, ...words], { env, extendEnv: false, stderr: 'inherit' });
}

void makeSdk();
