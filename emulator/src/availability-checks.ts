import type { ControlPlane } from './control-plane';
import { endpointsOfBranch } from './store';

/** Checks the availability of every branch from time to time; branches without a compute are skipped. */
export function startAvailabilityChecks({ settings, store, runner }: ControlPlane): () => void {
  const { checkAvailabilityEveryMs } = settings;
  if (checkAvailabilityEveryMs === 0) return () => undefined;
  const check = (): void => {
    for (const project of store.projects.values()) {
      for (const branchId of project.branches.keys()) {
        const [endpoint] = endpointsOfBranch(project, branchId);
        if (endpoint === undefined) continue;
        runner.start(project, [{ action: 'check_availability', branchId, endpointId: endpoint.wire.id }]);
      }
    }
  };
  const timer = setInterval(check, checkAvailabilityEveryMs).unref();
  return () => clearInterval(timer);
}
