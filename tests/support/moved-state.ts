import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import { repository } from './documents';
import { sendRequest } from './send-request';

/** The ids in the fixtures, as `terraform apply` got them from an emulator: project, branch, endpoint and replica. */
const fixtureIds = {
  kislerdm: [
    'aged-term-64080433',
    'br-bold-term-83766718',
    'ep-dark-field-67571776',
    'ep-calm-bush-86089675',
  ],
  kenchan0130: [
    'aged-term-64080433',
    'br-bold-paper-40257333',
    'ep-green-river-60060710',
    'ep-fancy-field-28624886',
  ],
  'terraform-community-providers': [
    'fancy-moon-58427047',
    'br-aged-smoke-72703349',
    'ep-quiet-term-20251399',
    'ep-dawn-meadow-10505350',
  ],
};

export type TerraformProvider = keyof typeof fixtureIds;

/**
 * Makes what a Terraform provider had made when `terraform show -json` wrote the fixture: a branch, an endpoint and, in a module,
 * a replica. Returns the fixture's text with the ids of these.
 */
export async function recreateTerraformState(
  emulator: Emulator,
  projectId: string,
  provider: TerraformProvider,
) {
  const branch = emulator.createBranch(projectId, { name: `feature-${provider}` });
  const create = async (attributes: object) => {
    const endpoint = { branch_id: branch.id, ...attributes };
    const post = () => sendRequest(emulator, 'POST', `/projects/${projectId}/endpoints`, { endpoint });
    let response = await post();
    while (response.status === 423) response = await setTimeout(50).then(post);
    const body = (await response.json()) as { endpoint: { id: string } }; // The described response.
    return body.endpoint.id;
  };
  const sizes = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
  const app = await create({ type: 'read_write', ...sizes, suspend_timeout_seconds: 600 });
  const replica = await create({ type: 'read_only', ...sizes, autoscaling_limit_max_cu: 0.25 });
  const file = join(repository, `tests/fixtures/terraform/${provider}.json`);
  const ids = [projectId, branch.id, app, replica];
  const text = fixtureIds[provider].reduce(
    (rest, id, index) => rest.replaceAll(id, ids[index] ?? ''),
    readFileSync(file, 'utf8'),
  );
  return { text, branch, app, replica };
}

/** The same resources as `pulumi stack export` shows them when Pulumi's bridge of the provider manages them. */
export function toBridgedState(projectId: string, branchId: string, endpointId: string): string {
  const urn = (type: string, name: string) => `urn:pulumi:dev::shop::${type}::${name}`;
  const resources = [
    {
      urn: urn('neon:index/branch:Branch', 'feature'),
      type: 'neon:index/branch:Branch',
      id: branchId,
      outputs: { id: branchId, projectId, name: 'feature' },
    },
    {
      urn: urn('neon:index/endpoint:Endpoint', 'app'),
      type: 'neon:index/endpoint:Endpoint',
      id: endpointId,
      outputs: { id: endpointId, projectId, branchId },
    },
    { urn: urn('neon:index/role:Role', 'reporter'), type: 'neon:index/role:Role', id: 'reporter' },
  ];
  return JSON.stringify({ version: 3, deployment: { resources } });
}
