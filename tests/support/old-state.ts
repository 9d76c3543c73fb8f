import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repository } from './documents';
import { sendRequest } from './send-request';
import { startProgram } from './start-stack';

const fixtures = join(repository, 'tests', 'fixtures', 'state');

/** The states that earlier releases have written of the program in tests/fixtures/state. */
export const stateFixtures = readdirSync(fixtures).filter((name) => name.endsWith('.json'));

/** Starts a stack that has the state in a fixture, and a service that has its endpoints. */
export async function startFromState(fixture: string) {
  const service = await startProgram('dynamic');
  await service.configure();
  const { stack, emulator, project, branch } = service;
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
  return { ...service, primaryId, replicaId };
}

/** The name that a resource has in the state. */
function nameIn(state: string, resource: string): string {
  const { deployment } = JSON.parse(state) as {
    deployment: { resources: { urn: string; outputs?: { name?: string } }[] };
  };
  const found = deployment.resources.find(({ urn }) => urn.endsWith(`::${resource}`));
  return found?.outputs?.name ?? '';
}
