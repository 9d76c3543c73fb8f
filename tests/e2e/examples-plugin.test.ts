import { expect, it } from 'vitest';
import { pluginDownloadURL } from '../../tools/schema/publication';
import { serveFiles } from '../support/file-server';
import { makeRelease } from '../support/packed-plugin';
import { startExample } from '../support/start-example';

it('quickstart-yaml: creates the endpoint with the downloaded plugin', async (test) => {
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
