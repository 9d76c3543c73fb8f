import { ControlApiError } from './control-api/control-api-error';
import type { Deadline } from './control-api/deadline';
import type { Endpoint, EndpointChange, Operation } from './control-api/wire-types';
import type { EndpointInputs } from './endpoint-inputs';
import { deriveInputName, toCreateAttributes } from './endpoint-state';
import { describeBlockers, type Progress } from './progress';
import type { ServiceProject } from './service-project';

/** A look at the project that is older than this is not proof enough that there is no such endpoint. Milliseconds. */
const lookKeepsMs = 5_000;

/** An endpoint that was made now, or one that an earlier try has made, whose answer never arrived. */
export type Creation = { readonly made: EndpointChange } | { readonly found: Endpoint };

/**
 * Makes the endpoint exactly once, however often it is called: the name says whose it is, so there is a look for it
 * before the first request, after every answer that got lost, and after every wait for the project's lock.
 */
export async function createOnce(
  project: ServiceProject,
  inputs: EndpointInputs,
  deadline: Deadline,
  progress: Progress,
): Promise<Creation> {
  const found = await findByName(project, inputs);
  if (found) return { found };
  const lookedAt = Date.now();
  let mayHavePosted = false;
  const write = async (): Promise<Creation> => {
    for (;;) {
      if (mayHavePosted || Date.now() - lookedAt > lookKeepsMs) {
        const endpoint = await findByName(project, inputs);
        if (endpoint) return { found: endpoint };
      }
      try {
        return { made: await project.api.createEndpoint(project.id, toCreateAttributes(inputs), deadline) };
      } catch (error) {
        if (!(error instanceof ControlApiError) || deadline.hasPassed) throw error;
        if (error.isConflict) return { found: await explainConflict(project, inputs, error) };
        if (error.meaning !== 'unknown') throw error;
        mayHavePosted = true;
      }
    }
  };
  const onLocked = (blocking: readonly Operation[]) => progress.show(describeBlockers(blocking));
  return project.writes.run({ deadline, write, onLocked });
}

async function findByName(project: ServiceProject, inputs: EndpointInputs): Promise<Endpoint | undefined> {
  const endpoints = await project.endpoints.fresh();
  const endpoint = oldest(endpoints.filter(({ name }) => name !== undefined && name === inputs.name));
  if (!endpoint) return undefined;
  const isOurs = inputs.name === deriveInputName(inputs);
  const isSamePlace = endpoint.branch_id === inputs.branchId && endpoint.type === inputs.type;
  if (isOurs || isSamePlace) return endpoint;
  throw new Error(
    `create of endpoint "${inputs.name}": project ${project.id} has an endpoint of that name already, ${endpoint.id} (${endpoint.type}, branch ${endpoint.branch_id}). Choose another name.`,
  );
}

/** The one that stays when two processes have made the same endpoint at the same time: both choose this one. */
export function oldest(endpoints: readonly Endpoint[]): Endpoint | undefined {
  const byAge = (left: Endpoint, right: Endpoint) =>
    Date.parse(left.created_at) - Date.parse(right.created_at) || left.id.localeCompare(right.id);
  return [...endpoints].sort(byAge)[0];
}

async function explainConflict(
  project: ServiceProject,
  inputs: EndpointInputs,
  conflict: ControlApiError,
): Promise<Endpoint> {
  const endpoint = await findByName(project, inputs);
  if (endpoint) return endpoint;
  const holder = (await project.endpoints.fresh()).find(
    ({ branch_id, type }) => branch_id === inputs.branchId && type === 'read_write',
  );
  if (inputs.type !== 'read_write' || !holder) throw conflict;
  const name = holder.name ? ` ("${holder.name}")` : '';
  throw new Error(
    `${conflict.message}. Branch ${inputs.branchId} has a read_write endpoint already: ${holder.id}${name}; a branch has at most one. Import that one, or use type read_only.`,
    { cause: conflict },
  );
}
