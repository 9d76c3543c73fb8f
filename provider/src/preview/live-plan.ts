import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { planFor } from '../endpoint/endpoint-situation';
import type { PlannedStep } from '../lifecycle/plan';
import type { Situation } from '../lifecycle/situation';
import { listOperationsSince } from '../operations/operation-pages';
import type { ServiceProject } from '../operations/service-project';
import type { LiveEndpoint } from './change-impact';

/**
 * The endpoint as it is now. A preview continues when the service can't be reached; the state then counts as active.
 * @param patience undefined where the read decides whether the preview continues: it then has as much time as it needs
 */
export async function readLive(
  { endpoints, sharedRead, readLagMs }: ServiceProject,
  id: string,
  patience: Deadline | undefined,
): Promise<LiveEndpoint> {
  try {
    const read = patience
      ? patience.bound(endpoints.find(id, sharedRead), 'read of the endpoint')
      : endpoints.findPatiently(id, readLagMs, sharedRead);
    return (await read) ?? 'gone';
  } catch {
    return 'unreadable';
  }
}

/**
 * The steps of the run to come. Where it will look for operations of earlier runs, the preview does, too. Undefined where something
 * can't be read.
 */
export async function planLive(
  { api, id: projectId }: ServiceProject,
  live: LiveEndpoint,
  situation: Situation,
  inputs: EndpointInputs,
  patience: Deadline,
): Promise<PlannedStep[] | undefined> {
  if (live === 'gone' || live === 'unreadable') return undefined;
  const steps = planFor(situation, live, inputs);
  if (!steps.some(({ step }) => step === 'observe' || step === 'trace')) return steps;
  const since = situation.since || Date.parse(live.created_at) - 1;
  const isNew = ({ endpoint_id, action, created_at }: Operation) =>
    endpoint_id === live.id && action !== 'check_availability' && Date.parse(created_at) > since;
  const listed = await patience
    .bound(
      listOperationsSince(api, projectId, () => since),
      'list of the operations',
    )
    .catch(() => undefined);
  return listed && planFor(situation, live, inputs, listed.filter(isNew));
}
