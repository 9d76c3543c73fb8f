import type { Endpoint, Operation } from '../control-api/wire-types';
import { situationOfFound } from '../lifecycle/beginning';
import type { Existing } from '../lifecycle/create-once';
import { plan } from '../lifecycle/plan';
import type { ProviderCore } from '../lifecycle/provider-core';
import { type Situation, sinceOf } from '../lifecycle/situation';
import { listOperationsSince } from '../operations/operation-pages';
import type { ServiceProject } from '../operations/service-project';
import { describeImpact, type PlannedChange } from './change-impact';
import { endpointArguments } from './endpoint-arguments';
import type { Declaration } from './endpoint-inputs';
import { endpointFlow, isOfEndpoint } from './endpoint-resource';

/**
 * The endpoint as it is now, and the steps of the next run; undefined when the service can't be reached. The preview lists operations
 * of earlier runs if that run will.
 * @throws Error when the service refuses, or `allowRestart` is false and it can't be reached
 */
export async function planLive(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  situation: Situation,
  declaration: Declaration,
): Promise<Pick<PlannedChange, 'live' | 'steps'> | 'gone' | undefined> {
  const { inputs } = declaration;
  const { endpoints, readLagMs, sharedRead } = project;
  const isAllowed = core.allowsRestart(inputs);
  const ask = <Answer>(what: string, read: () => Promise<Answer>) =>
    isAllowed ? core.glimpse(declaration, project, what, read) : read();
  const find = () =>
    isAllowed ? endpoints.find(id, sharedRead) : endpoints.findPatiently(id, readLagMs, sharedRead);
  const live = await ask('the endpoints', async () => (await find()) ?? 'gone');
  if (live === undefined || live === 'gone') return live;
  const seen = { ...situation, item: live };
  const steps = plan(seen, endpointFlow);
  if (!steps.some(({ step }) => step === 'observe' || step === 'trace')) return { live, steps };
  const since = sinceOf(situation, live);
  const isNew = (operation: Operation) =>
    isOfEndpoint(live.id, operation) && Date.parse(operation.created_at) > since;
  const listed = await ask('the operations', () => listOperationsSince(project.api, project.id, () => since));
  return listed && { live, steps: plan(seen, endpointFlow, listed.filter(isNew)) };
}

/** What a take-over changes. */
export function assessTakeOver({ origin, item }: Existing<Endpoint>, { inputs, resource }: Declaration) {
  const changes = endpointArguments.findTakeOverChanges(item, inputs, origin);
  const steps = plan({ ...situationOfFound(endpointFlow, inputs, item, origin, 'none'), item }, endpointFlow);
  const { secretNames } = resource;
  return { changes, impact: describeImpact({ changes, live: item, steps, inputs, was: { secretNames } }) };
}
