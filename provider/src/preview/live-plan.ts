import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { endpointRules, planFor } from '../endpoint/endpoint-situation';
import { type PlannedStep, plan } from '../lifecycle/plan';
import type { Situation } from '../lifecycle/situation';
import { listOperationsSince } from '../operations/operation-pages';
import type { ServiceProject } from '../operations/service-project';
import type { LiveEndpoint } from './change-impact';

interface LivePlan {
  readonly live: LiveEndpoint;
  readonly steps: readonly PlannedStep[];
}

/**
 * The endpoint as it is now, and the steps of the run to come. Where that will look for operations of earlier runs, the preview
 * does, too.
 * @param patience for each read; undefined where the endpoint decides whether the preview continues
 */
export async function planLive(
  project: ServiceProject,
  id: string,
  situation: Situation,
  inputs: EndpointInputs,
  patience: { readonly read: Deadline | undefined; readonly list: Deadline },
): Promise<LivePlan> {
  const live = await readLive(project, id, patience.read);
  if (live === 'gone') return { live, steps: [] };
  if (live === 'unreadable') return planUnseen(situation);
  const steps = planFor(situation, live, inputs);
  if (!steps.some(({ step }) => step === 'observe' || step === 'trace')) return { live, steps };
  const since = situation.since || Date.parse(live.created_at) - 1;
  const isNew = ({ endpoint_id, action, created_at }: Operation) =>
    endpoint_id === live.id && action !== 'check_availability' && Date.parse(created_at) > since;
  const list = listOperationsSince(project.api, project.id, () => since);
  const listed = await patience.list.bound(list, 'list of the operations').catch(() => undefined);
  return listed
    ? { live, steps: planFor(situation, live, inputs, listed.filter(isNew)) }
    : planUnseen(situation);
}

/** An endpoint that can't be read counts as active, and as having nothing of what the program gives. */
export function planUnseen(situation: Situation): LivePlan {
  const item = { id: '', created_at: '', current_state: 'active' };
  return {
    live: 'unreadable',
    steps: plan({ ...situation, item }, endpointRules, (names) => names, []),
  };
}

async function readLive(
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
