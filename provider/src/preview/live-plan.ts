import { findRefusal } from '../control-api/control-api-error';
import type { Operation } from '../control-api/wire-types';
import type { Declaration } from '../endpoint/endpoint-inputs';
import { endpointFlow, isOfEndpoint, planFor } from '../endpoint/endpoint-resource';
import { type PlannedStep, plan } from '../lifecycle/plan';
import type { ProviderCore } from '../lifecycle/provider-core';
import { type Situation, sinceOf } from '../lifecycle/situation';
import { listOperationsSince } from '../operations/operation-pages';
import type { ServiceProject } from '../operations/service-project';
import type { LiveEndpoint } from './change-impact';

interface LivePlan {
  readonly live: LiveEndpoint;
  readonly steps: readonly PlannedStep[];
}

/**
 * The endpoint as it is now, and the steps of the next run. The preview looks for operations of earlier runs where that run
 * will.
 * @throws Error when the service refuses
 */
export async function planLive(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  situation: Situation,
  declaration: Declaration,
): Promise<LivePlan> {
  const { inputs } = declaration;
  const live = await readLive(core, project, id, declaration);
  if (live === 'gone') return { live, steps: [] };
  if (live === 'unreadable') return planUnseen(situation);
  const steps = planFor(situation, live, inputs);
  if (!steps.some(({ step }) => step === 'observe' || step === 'trace')) return { live, steps };
  const since = sinceOf(situation, live);
  const isNew = (operation: Operation) =>
    isOfEndpoint(live.id, operation) && Date.parse(operation.created_at) > since;
  const listed = await core.glimpse(declaration, project, 'the operations', () =>
    listOperationsSince(project.api, project.id, () => since),
  );
  return listed
    ? { live, steps: planFor(situation, live, inputs, listed.filter(isNew)) }
    : planUnseen(situation);
}

/** An endpoint that can't be read counts as active, and as having nothing of what the program gives. */
export function planUnseen(situation: Situation): LivePlan {
  const item = { id: '', created_at: '', current_state: 'active' };
  return {
    live: 'unreadable',
    steps: plan({ ...situation, item }, endpointFlow, (names) => names, []),
  };
}

/** Patiently where the endpoint decides whether the preview continues. */
async function readLive(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  declaration: Declaration,
): Promise<LiveEndpoint> {
  const { endpoints, sharedRead, readLagMs } = project;
  const read = async (): Promise<LiveEndpoint> => (await endpoints.find(id, sharedRead)) ?? 'gone';
  if (core.allowsRestart(declaration.inputs))
    return (await core.glimpse(declaration, project, 'the endpoints', read)) ?? 'unreadable';
  try {
    return (await endpoints.findPatiently(id, readLagMs, sharedRead)) ?? 'gone';
  } catch (error) {
    if (findRefusal(error)) throw error;
    return 'unreadable';
  }
}
