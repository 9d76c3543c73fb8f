import { isNotFound } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { describeBlockers, describeProgress, type Progress } from '../engine/progress';
import type { ServiceProject } from '../operations/service-project';
import { awaitOperations, type WaitResult } from '../operations/wait-for-operations';
import { describeDeleteResult } from './endpoint-error';

/** How long the last reads may take beyond the deadline. Milliseconds. */
const extraReadMs = 5_000;

/**
 * Deletes the endpoint and waits for the operations, also with `waitForOperations: false`: a delete that failed after the
 * endpoint had left the state would be forgotten. An endpoint that no longer exists counts as deleted once the service
 * itself confirms it; a proxy's 404 does not.
 */
export async function deleteEndpoint(
  project: ServiceProject,
  endpointId: string,
  deadline: Deadline,
  progress: Progress,
): Promise<void> {
  let isAccepted = false;
  const operations = await project.write<readonly Operation[]>({
    deadline,
    // A second delete does no harm: the service answers that the endpoint does not exist.
    findDone: async () => undefined,
    send: async () => {
      const change = await project.api.deleteEndpoint(project.id, endpointId, deadline).catch((error) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      isAccepted = change !== undefined;
      return change?.operations ?? [];
    },
    onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (started) => started,
  });
  const remains = () => persists(project, endpointId, deadline.next(deadline.remainingMs + extraReadMs));
  if (!isAccepted && (await remains()))
    throw new Error(
      `delete of endpoint ${endpointId}: the service answered that the endpoint does not exist, but reads still return it. Nothing was changed; run the command again.`,
    );
  if (isAccepted) {
    const result = await awaitOperations(project.poller, {
      endpointId,
      operations,
      deadline,
      readLagMs: project.readLagMs,
      onProgress: (latest) => progress.show(describeProgress(latest), deadline.elapsedMs),
    });
    const isProven = !result.hasVanished && result.operations.every(({ status }) => status === 'finished');
    // The endpoint may no longer exist even though an operation of the delete failed or vanished.
    if (result.outcome === 'interrupted' || (!isProven && (await remains())))
      throw new Error(describe(endpointId, result, deadline));
  }
  project.endpoints.hide(endpointId);
}

/** Whether the project still has the endpoint when reads can no longer lag behind. */
async function persists(
  { endpoints, readLagMs }: ServiceProject,
  endpointId: string,
  deadline: Deadline,
): Promise<boolean> {
  const read = () => endpoints.find(endpointId, { deadline });
  return (
    (await rereadUntil(deadline.next(readLagMs), read, (endpoint) => endpoint === undefined)) !== undefined
  );
}

function describe(endpointId: string, result: WaitResult, { elapsedMs }: Deadline): string {
  if (result.outcome !== 'succeeded') return describeDeleteResult(endpointId, result, elapsedMs);
  return `delete of endpoint ${endpointId}: the service no longer shows its operation, and the endpoint still exists. Run the command again.`;
}
