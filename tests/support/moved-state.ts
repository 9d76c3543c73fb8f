import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import { repository } from './documents';
import { sendRequest } from './send-request';

/**
 * States as other tools wrote them of an emulator: those of `terraform` are what `terraform show -json` wrote after an apply, and those of
 * `bridge` what `pulumi stack export` wrote after an up with Pulumi's bridge of the provider, without traces, settings of encryption and
 * the provider's path.
 */
export type StateFixture =
  | `terraform/${'kislerdm' | 'kenchan0130' | 'terraform-community-providers'}`
  | `bridge/${'kislerdm' | 'terraform-community-providers'}`;

/** The ids in a state, each once: those of endpoints, of branches and of projects. */
const idsIn = (text: string, prefix: string) => [
  ...new Set(
    Array.from(text.matchAll(new RegExp(`"(${prefix}[a-z]+-[a-z]+-\\d{8})"`, 'g')), ([, id]) => id ?? ''),
  ),
];

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
  const written = readFileSync(file, 'utf8');
  const [appBefore = '', replicaBefore = ''] = idsIn(written, 'ep-');
  const [branchBefore = ''] = idsIn(written, 'br-');
  const [projectBefore = ''] = idsIn(written, '').filter((id) => !/^(ep|br)-/.test(id));
  const text = [
    [projectBefore, projectId],
    [branchBefore, branch.id],
    [appBefore, app],
    [replicaBefore, replica],
  ].reduce((rest, [before = '', now = '']) => rest.replaceAll(before, now), written);
  return { text, branch, app, replica };
}
