import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { sendRequest } from '../support/send-request';

/** The number of objects to delete, so that there is one for every DELETE. */
const DISPOSABLE = 60;

/** The ids in the requests. Without existing ones, every response would be 404. */
export interface FuzzWorld {
  readonly emulator: Emulator;
  /** The project that no request deletes. */
  readonly projectId: string;
  readonly branchIds: readonly string[];
  readonly endpointIds: readonly string[];
  readonly operationIds: readonly string[];
  /** Branches without an endpoint, for new endpoints and moves. */
  readonly emptyBranchIds: readonly string[];
  readonly disposable: {
    readonly projectIds: readonly string[];
    readonly branchIds: readonly string[];
    readonly endpointIds: readonly string[];
  };
}

/** The role and the database of every branch that requests delete; another role and database always exist. */
export const SPARE = 'spare';

/** Starts an emulator without delays and locks: its responses depend on the previous requests, not on time. */
export async function startFuzzWorld(): Promise<FuzzWorld> {
  const emulator = await startEmulator({ locks: 'none', maxEndpoints: 100_000 });
  const { id: projectId } = emulator.createProject({ name: 'fuzz' });
  await addSpares(emulator, projectId);
  const newBranch = (): string => emulator.createBranch(projectId).id;
  const branchIds = repeat(3, newBranch);
  return {
    emulator,
    projectId,
    branchIds,
    emptyBranchIds: repeat(DISPOSABLE, newBranch),
    endpointIds: await createEndpoints(emulator, projectId, branchIds),
    disposable: {
      projectIds: repeat(DISPOSABLE, () => emulator.createProject().id),
      branchIds: repeat(DISPOSABLE, newBranch),
      endpointIds: await createEndpoints(emulator, projectId, repeat(DISPOSABLE, newBranch)),
    },
    operationIds: emulator
      .operations(projectId)
      .slice(0, 5)
      .map(({ id }) => id),
  };
}

/** Every branch that is created from now on has them too. */
async function addSpares(emulator: Emulator, projectId: string): Promise<void> {
  const path = `/projects/${projectId}/branches/${emulator.endpoints(projectId)[0]?.branch_id}`;
  const database = { name: SPARE, owner_name: 'app_owner' };
  for (const [list, body] of Object.entries({ roles: { role: { name: SPARE } }, databases: { database } })) {
    const { status } = await sendRequest(emulator, 'POST', `${path}/${list}`, body);
    if (status !== 201) throw new Error(`POST /${list}: ${status}`);
  }
}

async function createEndpoints(
  emulator: Emulator,
  projectId: string,
  branchIds: readonly string[],
): Promise<string[]> {
  const create = async (branch_id: string): Promise<string> => {
    const endpoint = { branch_id, type: 'read_write' };
    const answer = await sendRequest(emulator, 'POST', `/projects/${projectId}/endpoints`, { endpoint });
    if (answer.status !== 201) throw new Error(`POST /endpoints: ${answer.status} ${await answer.text()}`);
    // The API returns the endpoint.
    return ((await answer.json()) as { endpoint: { id: string } }).endpoint.id;
  };
  return Promise.all(branchIds.map(create));
}

function repeat<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}
