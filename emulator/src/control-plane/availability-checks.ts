import { endpointsOfBranch } from '../records/project-record';
import type { ControlPlane } from './control-plane';
import { checkAvailabilityStep } from './endpoint-steps';
import { isBusy } from './power-state';

/**
 * Runs check_availability on every branch at the configured interval. It skips branches without a compute, and computes
 * with an unfinished operation, so that checks do not pile up behind an operation that hangs.
 */
export function startAvailabilityChecks({ settings, store, runner }: ControlPlane): () => void {
  const { checkAvailabilityEveryMs } = settings;
  if (checkAvailabilityEveryMs === 0) return () => undefined;
  const check = (): void => {
    for (const project of store.projects.values()) {
      for (const branchId of project.branches.keys()) {
        const [endpoint] = endpointsOfBranch(project, branchId);
        if (endpoint === undefined || isBusy(project, endpoint.wire.id)) continue;
        runner.start(project, [checkAvailabilityStep(endpoint)]);
      }
    }
  };
  const timer = setInterval(check, checkAvailabilityEveryMs).unref();
  return () => clearInterval(timer);
}
