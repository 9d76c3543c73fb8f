import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { repository } from '../support/documents';
import { startYaml } from '../support/start-stack';

const read = (name: string) =>
  load(readFileSync(join(repository, 'examples', 'fleet', 'operator', name), 'utf8'));

it("the operator's program creates the endpoint, and forbids its restart", async () => {
  const { program } = read('program.yaml') as { program: object };
  const { items } = read('stacks.yaml') as { items: { spec?: { config?: Record<string, string> } }[] };
  const config = items.find(({ spec }) => spec?.config)?.spec?.config ?? {};
  const { stack, project, branch, held, write } = await startYaml();
  // The operator writes this file, and sets this config.
  await write({ name: 'postgres-compute-fleet', ...program });
  const own = { ...config, projectId: project.id, branchId: branch.id, maxCu: '1' };
  await stack.run('stack', 'init', 'canary');
  for (const [key, value] of Object.entries(own)) await stack.run('config', 'set', key, value);
  await stack.run('up', '--yes', '--skip-preview');
  expect(held()).toMatchObject([{ type: 'read_write', autoscaling_limit_max_cu: 1 }]);

  await stack.run('config', 'set', 'maxCu', config.maxCu ?? '');
  const { exitCode, screen } = await stack.try('up', '--yes', '--skip-preview');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('allowRestart is false');
});
