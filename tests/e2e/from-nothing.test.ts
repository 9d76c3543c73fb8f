import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { publication } from '../../tools/schema/publication';
import { codeBlock, repository } from '../support/documents';
import { downloadFrom, serveFiles } from '../support/file-server';
import { isSdkMade, wheels } from '../support/generated-sdk';
import { startPackageRegistry } from '../support/package-registry';
import { makeRelease } from '../support/packed-plugin';
import { runScript } from '../support/start-example';
import { makeTemporaryFolder } from '../support/temporary-folder';

const programs = [
  ['TypeScript', 'typescript/index.ts', 'ts', 'README.md'],
  ['YAML', 'yaml/Pulumi.yaml', 'yaml', 'README.md'],
  ['Python', 'python/__main__.py', 'python', 'docs/plugin.md'],
] as const;

/** An empty folder, an empty home, and a release server and a package registry on loopback instead of the public ones. */
async function startFromNothing() {
  const cli = findPulumiCli();
  if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
  const root = makeTemporaryFolder();
  const [folder, home] = [join(root, 'quickstart'), join(root, 'home')];
  await Promise.all([mkdir(folder), mkdir(home)]);
  const emulator = await startEmulator({ operationMs: 300 });
  onTestFinished(() => emulator.stop());
  const release = await serveFiles((await makeRelease()).folder);
  // The language host that can be built from Go modules ignores the option `virtualenv` and installs into the program's folder.
  const path = [join(folder, 'bin'), cli.folder, process.env.PATH].join(delimiter);
  const environment = {
    HOME: home,
    // The CLI takes the home folder from the user's account, not from HOME.
    PULUMI_HOME: join(home, '.pulumi'),
    PULUMI_BACKEND_URL: `file://${home}`,
    PATH: path,
    PULUMI_CONFIG_PASSPHRASE: 'from nothing',
    PULUMI_SKIP_UPDATE_CHECK: '1',
    ...downloadFrom(release.url),
    ...(await startPackageRegistry(wheels)),
  };
  return { folder, environment, emulator };
}

/** What a page tells a user to type, against the emulator. */
function fillScript(script: string, emulator: Emulator, projectId: string, branchId: string): string {
  return (
    script
      .replace('pulumi login --local', 'pulumi login "$PULUMI_BACKEND_URL"')
      .replace('https://HOST/api/v2', emulator.url)
      .replace('=KEY', `=${emulator.apiKey}`)
      .replace('PROJECT_ID', projectId)
      .replace('BRANCH_ID', branchId)
      // The templates of this commit; `--yes` accepts the names that the CLI proposes.
      .replace(`pulumi new ${publication.repository}/tree/main`, `pulumi new --yes ${repository}`)
  );
}

describe('README.md and docs/plugin.md', () => {
  it.each(programs)('show the %s program of the template', async (heading, file, language, page) => {
    const text = await readFile(join(repository, 'templates', file), 'utf8');
    const program = text
      .replace(/^template:\n( .*\n)+/m, '')
      .replace(/^name: .*\ndescription: .*\n/, 'name: quickstart\n');
    expect(codeBlock(page, language, heading)).toBe(program);
  });

  it.for(programs)(
    'lead from an empty folder and home to a host, in %s',
    async ([heading, , , page], { skip }) => {
      if (heading === 'Python' && !isSdkMade) skip('run `npm run sdk`');
      const { folder, environment, emulator } = await startFromNothing();
      const project = emulator.createProject({ name: 'new' });
      const branch = emulator.createBranch(project.id);
      const typed = codeBlock('README.md', 'sh', 'Install') + codeBlock(page, 'sh', heading);
      const script = fillScript(typed, emulator, project.id, branch.id);
      const { exitCode, screen } = await runScript(script, folder, environment);
      if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${screen}`);
      const [endpoint] = emulator.endpoints(project.id).filter(({ branch_id }) => branch_id === branch.id);
      expect(screen).toContain(endpoint?.host ?? 'the host of an endpoint that was created');
    },
  );
});

it.skipIf(!isSdkMade)('the Python program of docs/branches.md leads to a host', async () => {
  const { folder, environment, emulator } = await startFromNothing();
  const project = emulator.createProject({ name: 'new' });
  const branch = emulator.createBranch(project.id);
  const program = codeBlock('docs/branches.md', 'python', 'Python');
  await writeFile(join(dirname(folder), 'branches.py'), program);
  const typed = codeBlock('README.md', 'sh', 'Install') + codeBlock('docs/plugin.md', 'sh', 'Python');
  const script = fillScript(typed, emulator, project.id, branch.id);
  const replaced = script.replace('\npulumi up', '\ncp ../branches.py __main__.py\npulumi up');
  const { exitCode, screen } = await runScript(replaced, folder, environment);
  if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${screen}`);
  const { id } = emulator.branches(project.id).find(({ name }) => name === 'preview/pr-12') ?? { id: '' };
  const [endpoint] = emulator.endpoints().filter(({ branch_id }) => branch_id === id);
  expect(screen).toContain(endpoint?.host ?? 'the host of an endpoint that was created');
});
