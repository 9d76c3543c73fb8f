import { expect, it } from 'vitest';
import { packPlugin } from '../support/packed-plugin';
import { startExample } from '../support/start-example';

it('quickstart-yaml: creates the endpoint with the plugin that the CLI installed from its archive', async (test) => {
  const { archive } = await packPlugin();
  const { stack, branch, followReadme, heldBy } = await startExample('quickstart-yaml', test);
  await followReadme({ PLUGIN_ARCHIVE: archive });
  await followReadme();
  const [endpoint, ...others] = heldBy(branch.id);
  expect(endpoint).toMatchObject({ type: 'read_write', autoscaling_limit_min_cu: 0.25 });
  expect(others).toEqual([]);
  expect((await stack.run('stack', 'output', 'host')).stdout).toBe(endpoint?.host);

  await stack.run('preview', '--expect-no-changes');
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(heldBy(branch.id)).toEqual([]);
});
