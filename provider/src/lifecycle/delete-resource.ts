import { isNotFound, messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { describeBlockers, describeRunning, type Progress } from '../engine/progress';
import { isFailed } from '../operations/operation-outcome';
import type { ServiceProject } from '../operations/service-project';
import { awaitOperations, type WaitResult } from '../operations/wait-for-operations';
import { isConfig } from './ledger';
import { describeDeleteResult, describeSubject, type Subject } from './resource-errors';

export interface DeleteRequest {
  readonly project: ServiceProject;
  /** As the state has it. */
  readonly subject: Subject;
  /** Those of the project. */
  readonly list: ReturnType<ServiceProject['list']>;
  /** What to delete now, right before each request. Rejects if it must not be deleted. */
  readonly check: () => Promise<Subject>;
  /** Sends the delete. Undefined when the service answers that there was nothing to delete. */
  readonly send: (id: string) => Promise<{ readonly operations: readonly Operation[] } | undefined>;
  readonly deadline: Deadline;
  readonly progress: Progress;
}

/**
 * Deletes a resource, and always waits for the operations: a delete that failed after the resource had left the state would be
 * forgotten. What no longer exists counts as deleted once the service itself confirms that; a proxy's 404 proves nothing.
 */
export async function deleteResource(request: DeleteRequest): Promise<void> {
  const { project, list, deadline, progress } = request;
  let { subject } = request;
  let isAccepted = false;
  const operations = await project.write<readonly Operation[]>({
    deadline,
    // A second delete does no harm: the service answers that the resource does not exist.
    isLookupDue: () => true,
    findDone: async () => {
      subject = await request.check();
      return undefined;
    },
    send: async () => {
      const change = await request.send(subject.id).catch(undefinedIfGone);
      isAccepted = change !== undefined;
      return change?.operations ?? [];
    },
    onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (started) => started,
  });
  const { kind, id } = subject;
  /** Reads until `isEnough`, until reads can no longer lag behind or the deadline. Returns whether the last read found it. */
  const remains = async (isEnough: (isFound: boolean) => boolean) => {
    const within = deadline.forReads();
    const read = async () => (await list.find(id, { deadline: within })) !== undefined;
    return rereadUntil(deadline.within(project.readLagMs), read, isEnough);
  };
  if (!isAccepted && (await remains((isFound) => !isFound)))
    throw new Error(
      `${describeSubject(subject)}: the service answered that the ${kind} does not exist, but reads still return it. Nothing was changed; run the command again.`,
    );
  const finish = async () => {
    const result = await awaitOperations(project.poller, {
      ...(kind === 'endpoint' && { endpointId: id }),
      operations,
      deadline,
      readLagMs: project.readLagMs,
      onProgress: (latest) => progress.show(describeRunning(latest), deadline.elapsedMs),
    });
    const isProven = !result.hasVanished && result.operations.every(({ status }) => status === 'finished');
    const isCutOff = result.outcome === 'interrupted' || result.outcome === 'timed out';
    // The service deletes the record of a role or a database at once; Postgres keeps it until apply_config has succeeded.
    const isUnapplied = result.operations.some((each) => isConfig(each) && isFailed(each));
    // It may no longer exist even though an operation of the delete failed or vanished. A read that does not show it may be older
    // than its creation, so only the last one counts.
    if (isCutOff || isUnapplied || (!isProven && (await remains(() => false))))
      throw new Error(describe(subject, result, deadline));
  };
  if (isAccepted)
    await finish().catch((error: unknown) => {
      throw new Error(`${messageOf(error).replace(/(?<![.?])$/, '.')} ${describeAccepted(kind)}`, {
        cause: error,
      });
    });
  list.hide(id);
}

function undefinedIfGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** The state still has it, so a program that declares it again would show no change. */
function describeAccepted(kind: string): string {
  return `The service has accepted the delete. If the state has the ${kind} and the program is to keep it after all, run \`pulumi up --refresh\`.`;
}

function describe(subject: Subject, result: WaitResult, { elapsedMs }: Deadline): string {
  if (result.outcome !== 'succeeded') return describeDeleteResult(subject, result, elapsedMs);
  return `${describeSubject(subject)}: the service no longer shows its operation, and the ${subject.kind} still exists. Run the command again.`;
}
