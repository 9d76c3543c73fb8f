import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../fixtures/state/program';
import { sendRequest } from '../support/send-request';
import { startProgram } from '../support/start-stack';

const fixtures = join(__dirname, '..', 'fixtures', 'state');
const releases = readdirSync(fixtures).filter((name) => name.endsWith('.json'));

it.each(releases)(
  'the current code previews, updates, refreshes and destroys the state in %s',
  async (fixture) => {
    const { stack, emulator, project, branch } = await startProgram();
    const state = await readFile(join(fixtures, fixture), 'utf8');
    const createEndpoint = async (type: 'read_write' | 'read_only', more: object) => {
      const endpointAttributes = { branch_id: branch.id, type, ...more };
      const path = `/projects/${project.id}/endpoints`;
      const response = await sendRequest(emulator, 'POST', path, { endpoint: endpointAttributes });
      const { endpoint } = (await response.json()) as { endpoint: { id: string } };
      await expect
        .poll(() => emulator.operations(project.id).every(({ status }) => status === 'finished'))
        .toBe(true);
      return endpoint.id;
    };
    // The endpoints as the release created them.
    const primaryId = await createEndpoint('read_write', {
      name: 'primary',
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 600,
      pooler_enabled: true,
      settings: { pg_settings: { work_mem: '64MB' } },
    });
    const replicaId = await createEndpoint('read_only', { name: nameIn(state, 'replica') });
    const ids = {
      PROJECT_ID: project.id,
      BRANCH_ID: branch.id,
      PRIMARY_ID: primaryId,
      REPLICA_ID: replicaId,
    };
    const restored = state.replace(
      /\b(PROJECT_ID|BRANCH_ID|PRIMARY_ID|REPLICA_ID)\b/g,
      (word) => ids[word as keyof typeof ids],
    );
    await writeFile(join(stack.folder, 'state.json'), restored);
    await stack.run('stack', 'import', '--file', 'state.json');

    await stack.writeProgram(program);
    await stack.run('preview', '--expect-no-changes');
    await stack.run('refresh', '--yes', '--expect-no-changes');
    await stack.writeProgram(program.replace('suspendTimeoutSeconds: 600', 'suspendTimeoutSeconds: 900'));
    await stack.run('up', '--yes');
    expect(emulator.endpoints().find(({ id }) => id === primaryId)).toMatchObject({
      suspend_timeout_seconds: 900,
    });
    await stack.run('refresh', '--yes', '--expect-no-changes');
    await stack.run('destroy', '--yes');
    expect(emulator.endpoints().filter(({ id }) => [primaryId, replicaId].includes(id))).toEqual([]);
  },
);

/** The name that a resource has in the state. */
function nameIn(state: string, resource: string): string {
  const { deployment } = JSON.parse(state) as {
    deployment: { resources: { urn: string; outputs?: { name?: string } }[] };
  };
  const found = deployment.resources.find(({ urn }) => urn.endsWith(`::${resource}`));
  return found?.outputs?.name ?? '';
}
