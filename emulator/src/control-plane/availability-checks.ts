import { endpointsOfBranch } from '../records/project-record';
import type { ControlPlane } from './control-plane';
import { checkAvailabilityStep } from './endpoint-steps';
import { isBusy } from './power-state';

/**
 * Checks the availability of every branch from time to time; branches without a compute are skipped, and so are those
 * whose compute has something under way: checks must not pile up behind an operation that hangs.
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
