import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { sendRequest } from '../support/send-request';

/** How many there are of what a DELETE takes away, so that the calls do not run out of it. */
const DISPOSABLE = 60;

/** The ids that the calls are made with: without real ones every answer would be 404. */
export interface FuzzWorld {
  readonly emulator: Emulator;
  /** Of the one project that stays. */
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

/** An emulator without delays and locks: what a call is answered depends on the calls before it, and on no clock. */
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
    // By the API a create answers the endpoint.
    return ((await answer.json()) as { endpoint: { id: string } }).endpoint.id;
  };
  return Promise.all(branchIds.map(create));
}

function repeat<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}
