import { ControlApiError } from './control-api/control-api-error';
import type { Deadline } from './control-api/deadline';
import type { Endpoint, EndpointChange, Operation } from './control-api/wire-types';
import { makeWriteOnce } from './control-api/write-once';
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
 * before the first request, after every answer that got lost, and after a long wait for the project's lock.
 */
export async function createOnce(
  project: ServiceProject,
  inputs: EndpointInputs,
  deadline: Deadline,
  progress: Progress,
): Promise<Creation> {
  // Nobody waits for the end of a create that is not waited for, where a twin would be noticed.
  const keepsMs = inputs.waitForOperations === false ? 0 : lookKeepsMs;
  const found = findExisting(inputs, await project.endpoints.recent(keepsMs));
  if (found) return { found };
  const lookedAt = Date.now();
  const attributes = toCreateAttributes({ ...inputs, name: nameOf(inputs) });
  const write = makeWriteOnce<Creation>({
    deadline,
    pacing: project.api.retryPacing,
    isLookDue: () => Date.now() - lookedAt > lookKeepsMs,
    look: async () => {
      const endpoint = findExisting(inputs, await project.endpoints.fresh());
      return endpoint && { found: endpoint };
    },
    send: async () => {
      try {
        return { made: await project.api.createEndpoint(project.id, attributes, deadline) };
      } catch (error) {
        if (!(error instanceof ControlApiError && error.isConflict)) throw error;
        return { found: await explainConflict(project, inputs, error) };
      }
    },
  });
  const onLocked = (blocking: readonly Operation[]) =>
    progress.show(describeBlockers(blocking), deadline.elapsedMs);
  const startedBy = (creation: Creation) => ('made' in creation ? creation.made.operations : []);
  return project.writes.run({ deadline, write, startedBy, onLocked });
}

/** The endpoint that this create stands for already: its own by name, or the one that it is to adopt. */
function findExisting(inputs: EndpointInputs, endpoints: readonly Endpoint[]): Endpoint | undefined {
  return findByName(inputs, endpoints) ?? (inputs.adopt ? findBranchEndpoint(inputs, endpoints) : undefined);
}

/** The read_write endpoint of the branch; there is at most one. */
export function findBranchEndpoint(
  { branchId, type }: EndpointInputs,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  if (type !== 'read_write') return undefined;
  return endpoints.find((endpoint) => endpoint.branch_id === branchId && endpoint.type === 'read_write');
}

/** An endpoint that was to be adopted has no name of ours in its inputs; one that is made then gets it here. */
function nameOf(inputs: EndpointInputs): string {
  const name = inputs.name ?? deriveInputName(inputs);
  if (name !== undefined) return name;
  throw new Error('create of an endpoint: it has neither a name nor a URN to derive one from.');
}

function findByName(inputs: EndpointInputs, endpoints: readonly Endpoint[]): Endpoint | undefined {
  const wanted = nameOf(inputs);
  const endpoint = oldest(endpoints.filter(({ name }) => name === wanted));
  if (!endpoint) return undefined;
  const isOurs = wanted === deriveInputName(inputs);
  const isSamePlace = endpoint.branch_id === inputs.branchId && endpoint.type === inputs.type;
  if (isOurs || isSamePlace) return endpoint;
  throw new Error(
    `create of endpoint "${wanted}": project ${inputs.projectId} has an endpoint of that name already, ${endpoint.id} (${endpoint.type}, branch ${endpoint.branch_id}). Choose another name.`,
  );
}

/** Whether it is the one that stays when two processes have made the same endpoint: both keep the oldest. */
export function isSurvivor(project: ServiceProject, made: Endpoint): boolean {
  const twins = project.endpoints.latest.filter(({ name }) => name === made.name);
  return oldest([...twins, made])?.id === made.id;
}

function oldest(endpoints: readonly Endpoint[]): Endpoint | undefined {
  const byAge = (left: Endpoint, right: Endpoint) =>
    Date.parse(left.created_at) - Date.parse(right.created_at) || left.id.localeCompare(right.id);
  return [...endpoints].sort(byAge)[0];
}

async function explainConflict(
  project: ServiceProject,
  inputs: EndpointInputs,
  conflict: ControlApiError,
): Promise<Endpoint> {
  const endpoints = await project.endpoints.fresh();
  const endpoint = findByName(inputs, endpoints);
  if (endpoint) return endpoint;
  const holder = findBranchEndpoint(inputs, endpoints);
  if (!holder) throw conflict;
  const name = holder.name ? ` ("${holder.name}")` : '';
  throw new Error(
    `${conflict.message}. Branch ${inputs.branchId} has a read_write endpoint already: ${holder.id}${name}; a branch has at most one. adopt: true takes that one over; type read_only makes a replica beside it.`,
    { cause: conflict },
  );
}
