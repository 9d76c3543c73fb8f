import { ControlApiError } from './control-api/control-api-error';
import type { Deadline } from './control-api/deadline';
import type { Operation } from './control-api/wire-types';
import { makeWriteOnce } from './control-api/write-once';
import { describeSettlement } from './endpoint-error';
import type { EndpointInputs } from './endpoint-inputs';
import { settleOperations } from './operations/settle-operations';
import { describeBlockers, describeProgress, type Progress } from './progress';
import type { ServiceProject } from './service-project';

/**
 * Deletes the endpoint and waits for what that started. Gone is fine: by this request, by an earlier one whose
 * answer got lost, or by somebody else.
 */
export async function deleteEndpoint(
  project: ServiceProject,
  endpointId: string,
  inputs: EndpointInputs,
  deadline: Deadline,
  progress: Progress,
): Promise<void> {
  const write = makeWriteOnce<readonly Operation[]>({
    deadline,
    pacing: project.api.retryPacing,
    // A second delete of what is gone is answered as such, and harms nothing.
    look: async () => undefined,
    send: async () => {
      try {
        return (await project.api.deleteEndpoint(project.id, endpointId, deadline))?.operations ?? [];
      } catch (error) {
        if (error instanceof ControlApiError && error.isNotFound) return [];
        throw error;
      }
    },
  });
  const onLocked = (blocking: readonly Operation[]) =>
    progress.show(describeBlockers(blocking), deadline.elapsedMs);
  const startedBy = (started: readonly Operation[]) => started;
  const operations = await project.writes.run({ deadline, write, startedBy, onLocked });
  if (inputs.waitForOperations === false) return;
  const settlement = await settleOperations(project.poller, {
    endpointId,
    operations,
    deadline,
    onProgress: (latest) => progress.show(describeProgress(latest), deadline.elapsedMs),
  });
  if (settlement.outcome === 'succeeded') return;
  // An operation of the deletion may fail and the endpoint be gone all the same.
  if (!(await project.endpoints.find(endpointId))) return;
  throw new Error(describeSettlement('delete', endpointId, settlement, deadline.elapsedMs));
}
