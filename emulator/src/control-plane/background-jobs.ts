import { endpointsOfBranch, type ProjectRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { deleteBranch } from './branches';
import type { ControlPlane } from './control-plane';
import { checkAvailabilityStep } from './endpoint-steps';
import { restoreOf } from './locks';
import { isBusy } from './power-state';

const EXPIRE_EVERY_MS = 500;

/** Starts what the service does by itself at intervals. Call the returned function to stop it. */
export function startBackgroundJobs(plane: ControlPlane): () => void {
  const jobs = [
    { everyMs: plane.settings.checkAvailabilityEveryMs, run: checkAvailability },
    { everyMs: EXPIRE_EVERY_MS, run: expireBranches },
  ];
  const timers = jobs
    .filter(({ everyMs }) => everyMs > 0)
    .map(({ everyMs, run }) =>
      setInterval(() => {
        for (const project of plane.store.projects.values()) tryTo(() => run(plane, project));
      }, everyMs).unref(),
    );
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** One project that cannot be served does not end the process, or keep it from starting. The next round tries it again. */
function tryTo(work: () => void): void {
  try {
    work();
  } catch (error) {
    process.emitWarning(`a background job failed: ${reasonOf(error)}`);
  }
}

/**
 * Runs check_availability on every branch. It skips branches without a compute, and computes with an unfinished
 * operation, so that checks do not pile up behind an operation that hangs.
 */
function checkAvailability({ runner }: ControlPlane, project: ProjectRecord): void {
  for (const branchId of project.branches.keys()) {
    const [endpoint] = endpointsOfBranch(project, branchId);
    if (endpoint === undefined || isBusy(project, endpoint.wire.id)) continue;
    runner.start(project, [checkAvailabilityStep(endpoint)]);
  }
}

/** Deletes the branches whose time has come, whatever locks the project, after a restore. A delete that fails is repeated. */
export function expireBranches(plane: ControlPlane, project: ProjectRecord): void {
  const now = Date.parse(plane.clock.now());
  for (const { wire } of [...project.branches.values()]) {
    const isDue = wire.expires_at !== undefined && Date.parse(wire.expires_at) <= now;
    const isDeleting = isDue && endpointsOfBranch(project, wire.id).some(({ deleting }) => deleting);
    if (isDue && !isDeleting && !restoreOf(project, wire.id)) deleteBranch(plane, project, wire.id, 'none');
  }
}
