import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import { repository } from './documents';
import { sendRequest } from './send-request';

/**
 * The ids in the fixtures, as they came from an emulator: project, branch, endpoint and replica. Those of `terraform` are what
 * `terraform show -json` wrote after an apply, and those of `bridge` what `pulumi stack export` wrote after an up with Pulumi's bridge
 * of the provider, without traces, settings of encryption and the provider's path.
 */
const fixtureIds = {
  'terraform/kislerdm': [
    'aged-term-64080433',
    'br-bold-term-83766718',
    'ep-dark-field-67571776',
    'ep-calm-bush-86089675',
  ],
  'terraform/kenchan0130': [
    'aged-term-64080433',
    'br-bold-paper-40257333',
    'ep-green-river-60060710',
    'ep-fancy-field-28624886',
  ],
  'terraform/terraform-community-providers': [
    'fancy-moon-58427047',
    'br-aged-smoke-72703349',
    'ep-quiet-term-20251399',
    'ep-dawn-meadow-10505350',
  ],
  'bridge/kislerdm': [
    'shiny-river-46290664',
    'br-little-lake-44949432',
    'ep-quiet-lake-20794433',
    'ep-bold-paper-67582211',
  ],
  'bridge/terraform-community-providers': [
    'shiny-moon-97994190',
    'br-little-river-60889955',
    'ep-green-field-11295045',
    'ep-dawn-paper-87924299',
  ],
};

export type StateFixture = keyof typeof fixtureIds;

/**
 * Makes what the other tool had made when it wrote the fixture: a branch, an endpoint, a replica and a role. Returns the fixture's text
 * with the ids of these.
 */
export async function recreateState(emulator: Emulator, projectId: string, fixture: StateFixture) {
  const branch = emulator.createBranch(projectId, { name: `feature-${basename(fixture)}` });
  const send = async (path: string, body: object) => {
    const post = () => sendRequest(emulator, 'POST', `/projects/${projectId}/${path}`, body);
    let response = await post();
    while (response.status === 423) response = await setTimeout(50).then(post);
    return response.json();
  };
  const create = async (attributes: object) => {
    const endpoint = { branch_id: branch.id, ...attributes };
    const body = (await send('endpoints', { endpoint })) as { endpoint: { id: string } }; // The described response.
    return body.endpoint.id;
  };
  const sizes = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
  const app = await create({ type: 'read_write', ...sizes, suspend_timeout_seconds: 600 });
  const replica = await create({ type: 'read_only', ...sizes, autoscaling_limit_max_cu: 0.25 });
  await send(`branches/${branch.id}/roles`, { role: { name: 'reporter' } });
  const file = join(repository, `tests/fixtures/${fixture}.json`);
  const ids = [projectId, branch.id, app, replica];
  const text = fixtureIds[fixture].reduce(
    (rest, id, index) => rest.replaceAll(id, ids[index] ?? ''),
    readFileSync(file, 'utf8'),
  );
  return { text, branch, app, replica };
}
