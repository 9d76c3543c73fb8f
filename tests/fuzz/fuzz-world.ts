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

/** Starts an emulator without delays and locks: its responses depend on the previous requests, not on time. */
export async function startFuzzWorld(): Promise<FuzzWorld> {
  const emulator = await startEmulator({ locks: 'none', maxEndpoints: 100_000 });
  const { id: projectId } = emulator.createProject({ name: 'fuzz' });
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
