import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { pluginDownloadURL } from '../../tools/schema/publication';
import { downloadFrom, serveFiles } from '../support/file-server';
import { isSdkMade, wheels } from '../support/generated-sdk';
import { startPackageRegistry } from '../support/package-registry';
import { makeRelease } from '../support/packed-plugin';
import { startExample } from '../support/start-example';

it('quickstart-yaml: creates the endpoint with the plugin that the CLI downloads from a release', async (test) => {
  const { folder } = await makeRelease();
  const { url } = await serveFiles(folder);
  const { stack, branch, followReadme, heldBy } = await startExample('quickstart-yaml', test);
  await followReadme({ [pluginDownloadURL]: url });
  await followReadme();
  const [endpoint, ...others] = heldBy(branch.id);
  expect(endpoint).toMatchObject({ type: 'read_write', autoscaling_limit_min_cu: 0.25 });
  expect(others).toEqual([]);
  expect((await stack.run('stack', 'output', 'host')).stdout).toBe(endpoint?.host);

  await stack.run('preview', '--expect-no-changes');
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(heldBy(branch.id)).toEqual([]);
});

it.skipIf(!isSdkMade)(
  'quickstart-python: creates the endpoint, with the SDK of the package',
  async (test) => {
    const { url } = await serveFiles((await makeRelease()).folder);
    const { stack, branch, followReadme, heldBy } = await startExample('quickstart-python', test);
    // The language host that can be built from Go modules installs into the program's folder.
    const PATH = [join(stack.folder, 'bin'), stack.environment.PATH].join(delimiter);
    Object.assign(stack.environment, { PATH }, downloadFrom(url), await startPackageRegistry(wheels));
    await followReadme();
    await followReadme();
    expect((await stack.run('stack', 'output', 'poolerHost')).stdout).toContain('-pooler');
    expect(heldBy(branch.id)).toMatchObject([{ suspend_timeout_seconds: 300 }]);
  },
);
