import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import execa from 'execa';
import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { oldestGo } from '../../tools/pulumi-cli/pins';
import { goImportPath, publication } from '../../tools/schema/publication';
import { codeBlock, codeBlocks, repository } from '../support/documents';
import { downloadFrom, serveFiles } from '../support/file-server';
import { isSdkMade, sdkFolder, wheels } from '../support/generated-sdk';
import { startPackageRegistry } from '../support/package-registry';
import { makeRelease } from '../support/packed-plugin';
import { flat } from '../support/pulumi-stack';
import { runScript } from '../support/start-example';
import { startPluginStack } from '../support/start-stack';
import { makeTemporaryFolder } from '../support/temporary-folder';

const programs = [
  { heading: 'TypeScript', file: 'index.ts', language: 'ts', page: 'README.md', template: 'typescript' },
  { heading: 'YAML', file: 'Pulumi.yaml', language: 'yaml', page: 'README.md', template: 'yaml' },
  { heading: 'Python', file: '__main__.py', language: 'python', page: 'docs/plugin.md', template: 'python' },
] as const;

/** Where a user works: a folder, and a service that has what the settings name. */
interface Place {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly emulator: Emulator;
  readonly projectId: string;
}

/** In front of a command whose program an earlier one or package-types.test.ts has checked. */
const unchecked = 'PULUMI_NODEJS_TRANSPILE_ONLY=true';

/** The folder of a release. */
let release = '';
beforeAll(async () => {
  const copy = await mkdtemp(join(tmpdir(), 'postgres-compute-test-'));
  release = (await makeRelease(copy)).folder;
  return () => rm(copy, { recursive: true });
});

/** Runs commands that must succeed. Returns what they have shown, in one line. */
async function run({ folder, environment }: Place, script: string): Promise<string> {
  const { exitCode, screen } = await runScript(script, folder, environment);
  if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${screen}`);
  return screen;
}

/** Previews another size of the program, replaces it by that of docs/branches.md, and destroys it. Returns the preview's screen. */
async function changeAndDestroy(
  place: Place,
  { heading, file, language }: { heading: string; file: string; language: string },
): Promise<string> {
  const { folder, emulator, projectId } = place;
  const before = emulator.endpoints(projectId).length;
  const text = await readFile(join(folder, file), 'utf8');
  const isMaxCu = /(max_?cu\W+(?:pulumi\.Float64\()?)1\b/i;
  expect(text).toMatch(isMaxCu);
  await writeFile(
    join(folder, file),
    text.replace(isMaxCu, (_, start: string) => `${start}2`),
  );
  const preview = await run(place, `${unchecked} pulumi preview`);
  expect(preview).toContain('warning: restarts the compute, drops connections (active now): max 1 => 2 CU');

  const ofBranch = codeBlock('docs/branches.md', language, heading).replace(/^name: .*/m, 'name: quickstart');
  await writeFile(join(folder, file), ofBranch);
  const screen = await run(place, `${unchecked} pulumi up`);
  const branch = () => emulator.branches(projectId).find(({ name }) => name === 'preview/pr-12');
  const id = branch()?.id;
  const [endpoint] = emulator.endpoints(projectId).filter(({ branch_id }) => branch_id === id);
  expect(screen).toContain(endpoint?.host ?? 'the host of an endpoint that was created');
  await run(place, 'pulumi destroy');
  expect([emulator.endpoints(projectId).length, branch()]).toEqual([before - 1, undefined]);
  return preview;
}

/** An empty folder, an empty home, and a release server and a package registry on loopback instead of the public ones. */
async function startFromNothing() {
  const cli = findPulumiCli();
  if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
  const root = makeTemporaryFolder();
  const [folder, home] = [join(root, 'quickstart'), join(root, 'home')];
  await Promise.all([mkdir(folder), mkdir(home)]);
  // No compute is suspended while a slow machine gets on.
  const emulator = await startEmulator({ operationMs: 300, autosuspendSecondMs: 3_500 });
  onTestFinished(() => emulator.stop());
  const { url, requests } = await serveFiles(release);
  const environment = {
    HOME: home,
    // The CLI takes the home folder from the user's account, not from HOME.
    PULUMI_HOME: join(home, '.pulumi'),
    PULUMI_BACKEND_URL: `file://${home}`,
    // The language host that can be built from Go modules ignores the option `virtualenv` and installs into the program's folder.
    PATH: [join(folder, 'bin'), cli.folder, process.env.PATH].join(delimiter),
    PULUMI_CONFIG_PASSPHRASE: 'from nothing',
    PULUMI_SKIP_UPDATE_CHECK: '1',
    ...downloadFrom(url),
    ...(await startPackageRegistry(wheels)),
  };
  const projectId = emulator.createProject({ name: 'new' }).id;
  // A project's first branch comes with an endpoint.
  const branchId = emulator.branches(projectId)[0]?.id ?? '';
  /** What a page tells a user to type, against the emulator. */
  const fill = (script: string) =>
    script
      .replace('pulumi login --local', 'pulumi login "$PULUMI_BACKEND_URL"')
      .replace(/https:\/\/\S+\/api\/v2/, emulator.url)
      .replace('=KEY', `=${emulator.apiKey}`)
      .replaceAll('PROJECT_ID', projectId)
      .replaceAll('BRANCH_ID', branchId)
      // The templates of this commit; `--yes` accepts the names that the CLI proposes.
      .replace(`pulumi new ${publication.repository}/tree/main`, `pulumi new --yes ${repository}`);
  const settings = { POSTGRES_COMPUTE_BASE_URL: emulator.url, POSTGRES_COMPUTE_API_KEY: emulator.apiKey };
  const place = { folder, environment: { ...environment, ...settings }, emulator, projectId };
  return { folder, environment, emulator, place, projectId, branchId, fill, requests, cli };
}

it.each(programs)('$page shows the $heading program of the template', async (program) => {
  const { heading, file, language, page, template } = program;
  const text = await readFile(join(repository, 'templates', template, file), 'utf8');
  const shown = text
    .replace(/^template:\n( .*\n)+/m, '')
    .replace(/^name: .*\ndescription: .*\n/, 'name: quickstart\n');
  expect(codeBlock(page, language, heading)).toBe(shown);
});

const [typescript, ...others] = programs;

it.for(others)('$page leads from an empty folder to a host, in $heading', async (program, { skip }) => {
  const { heading, page } = program;
  if (heading === 'Python' && !isSdkMade) skip('run `npm run sdk`');
  const { folder, environment, emulator, place, branchId, fill, requests, cli } = await startFromNothing();
  const typed = codeBlock('README.md', 'sh', 'Install') + codeBlock(page, 'sh', heading);
  const screen = await run({ ...place, environment }, fill(typed));
  const [endpoint] = emulator.endpoints().filter(({ branch_id }) => branch_id === branchId);
  expect(screen).toContain(endpoint?.host ?? 'the host of an endpoint that was created');
  const archive = expect.stringMatching(/^\/pulumi-resource-postgres-compute-v.*\.tar\.gz$/);
  expect(requests).toEqual([archive]);

  if (heading === 'YAML') {
    const withoutNode = `PATH=${cli.folder} pulumi preview`;
    const { screen: refused } = await runScript(withoutNode, folder, place.environment);
    expect(refused).toMatch(/The provider postgres-compute needs Node\.js .* on PATH/);
  }
  const preview = await changeAndDestroy(place, program);
  const row =
    '~ postgres-compute:index:ComputeEndpoint app update [diff: +restartsCompute~autoscalingLimitMaxCu]';
  if (heading === 'YAML') expect(preview).toContain(row);
});

it('docs/first-up.md leads from an account to a connection string', async () => {
  const { folder, environment, emulator, place, projectId, branchId, fill, requests } =
    await startFromNothing();
  const [endpoint] = emulator.endpoints(projectId);
  const page = codeBlocks('docs/first-up.md', 'sh').join('');
  // What the README says, and more.
  for (const line of codeBlock('README.md', 'sh', 'TypeScript').trim().split('\n'))
    expect(page).toContain(`${line}\n`);
  const typed = page
    .replace('pulumi up\n', `${unchecked} $&`)
    .replace('https://console.neon.tech/api/v2', emulator.url)
    .replace('read -rs POSTGRES_COMPUTE_API_KEY', `$& <<< ${emulator.apiKey}`)
    .replace('psql', 'echo');
  const screen = await run({ ...place, environment }, fill(typed));
  expect(screen).toContain(`adopt takes over endpoint ${endpoint?.id}`);
  expect(screen).toMatch(new RegExp(`postgresql://app_owner:\\w+@${endpoint?.host}/app`));
  for (const id of [projectId, branchId]) expect(screen).toContain(id);
  expect(requests).toEqual([]);

  // For the program of docs/branches.md, which uses the plugin of the npm package.
  await appendFile(join(folder, 'Pulumi.yaml'), codeBlock('docs/plugin.md', 'yaml', 'Install'));
  const preview = await changeAndDestroy(place, typescript);
  expect(preview).toContain(flat(codeBlock('README.md', '', 'A change of size')).trim());
});

/** The versions with which the CLI is built: their modules are on this machine. */
const pinned = join(repository, 'tools/pulumi-cli/cli');
/** The flags of that build, so that Go compiles no package again; and no network. */
const goSettings = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod -trimpath', GOPROXY: 'off', GOSUMDB: 'off' };

it.skipIf(!isSdkMade)('docs/plugin.md leads to a host, in Go', async () => {
  const { url } = await serveFiles(release);
  const { stack, emulator, project } = await startPluginStack('name: quickstart\nruntime: go\n');
  const { folder } = stack;
  const environment = { ...stack.environment, ...goSettings, ...downloadFrom(url) };
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write('main.go', codeBlock('docs/plugin.md', 'go', 'Go'));
  const modules = await readFile(join(pinned, 'go.mod'), 'utf8');
  await write('go.mod', modules.replace(/^module .*/m, 'module quickstart'));
  await cp(join(pinned, 'go.sum'), join(folder, 'go.sum'));
  await cp(join(sdkFolder, 'go/postgrescompute'), join(folder, 'sdk'), { recursive: true });
  await write('sdk/go.mod', `module ${goImportPath}\n\ngo ${oldestGo()}\n`);
  // The SDK imports it and the CLI does not: without a version, here that of the YAML host, Go would ask the network.
  const versions = [`${goImportPath}@v0.0.0`, 'github.com/spf13/cast@v1.4.1'];
  const required = versions.flatMap((version) => ['-require', version]);
  await execa('go', ['mod', 'edit', ...required, '-replace', `${goImportPath}=./sdk`], { cwd: folder });

  const place = { folder, environment, emulator, projectId: project.id };
  await run(place, 'pulumi up');
  const hosts = emulator.endpoints(project.id).map(({ host }) => host);
  expect(hosts).toContain((await run(place, 'pulumi stack output host')).trim());
  await changeAndDestroy(place, { heading: 'Go', file: 'main.go', language: 'go' });
});
