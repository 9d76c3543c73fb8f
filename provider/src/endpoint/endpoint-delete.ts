import { setTimeout as sleep } from 'node:timers/promises';
import { isNotFound } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeBlockers, describeProgress, type Progress } from '../display/progress';
import type { ServiceProject } from '../operations/service-project';
import { type Settlement, settleOperations } from '../operations/wait-for-operations';
import { describeSettlement } from './endpoint-error';

/** How long to pause before the endpoint is looked up again. Milliseconds. */
const rereadPauseMs = 250;
/** How long the proof may take beyond the deadline. Milliseconds. */
const extraReadMs = 5_000;

/**
 * Deletes the endpoint and waits for what that started, also with `waitForOperations: false`: a deletion that fails after
 * it has left the state would be forgotten. An endpoint that no longer exists is fine, whoever deleted it,
 * once the project proves it: a proxy's 404 does not.
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
    // A second delete of what no longer exists is answered as such, and harms nothing.
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
  const remains = () => persists(project, endpointId, new Deadline(deadline.remainingMs + extraReadMs));
  if (!isAccepted && (await remains()))
    throw new Error(
      `delete of endpoint ${endpointId}: the service answered that the endpoint does not exist, but reads still return it. Nothing was changed; run the command again.`,
    );
  if (isAccepted) {
    const settlement = await settleOperations(project.poller, {
      endpointId,
      operations,
      deadline,
      graceMs: project.graceMs,
      onProgress: (latest) => progress.show(describeProgress(latest), deadline.elapsedMs),
    });
    const isProven =
      !settlement.isUnproven && settlement.operations.every(({ status }) => status === 'finished');
    // An operation of the deletion may fail, or be forgotten, and the endpoint be gone all the same.
    if (!isProven && (await remains())) throw new Error(describe(endpointId, settlement, deadline));
  }
  project.endpoints.hide(endpointId);
}

/** Whether the project still has the endpoint when reads can no longer lag behind. */
async function persists(
  { endpoints, graceMs }: ServiceProject,
  endpointId: string,
  deadline: Deadline,
): Promise<boolean> {
  const grace = new Deadline(graceMs);
  while (await endpoints.find(endpointId, { deadline })) {
    if (grace.hasPassed) return true;
    await sleep(Math.min(rereadPauseMs, grace.remainingMs));
  }
  return false;
}

function describe(endpointId: string, settlement: Settlement, { elapsedMs }: Deadline): string {
  if (settlement.outcome !== 'succeeded')
    return describeSettlement('delete', endpointId, settlement, elapsedMs);
  return `delete of endpoint ${endpointId}: the service no longer shows its operation, and the endpoint still exists. Run the command again.`;
}
