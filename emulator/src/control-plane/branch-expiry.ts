import { endpointsOfBranch, type ProjectRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { deleteBranch } from './branches';
import type { ControlPlane } from './control-plane';
import { restoreOf } from './locks';

const EXPIRE_EVERY_MS = 500;

/** Deletes expired branches at intervals. Call the returned function to stop it. */
export function startExpiry(plane: ControlPlane): () => void {
  const expire = (): void => {
    for (const project of plane.store.projects.values()) {
      try {
        expireBranches(plane, project);
      } catch (error) {
        // A project that cannot be served does not end the process. The next round tries it again.
        process.emitWarning(`expired branches could not be deleted: ${reasonOf(error)}`);
      }
    }
  };
  const timer = setInterval(expire, EXPIRE_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Deletes the branches whose time has come, whatever locks the project, after a restore. A delete that fails is repeated. */
export function expireBranches(plane: ControlPlane, project: ProjectRecord): void {
  const now = plane.clock.nowMs();
  for (const branch of [...project.branches.values()]) {
    const { wire } = branch;
    const isDue = wire.expires_at !== undefined && Date.parse(wire.expires_at) <= now;
    const isDeleting = isDue && endpointsOfBranch(project, wire.id).some(({ deleting }) => deleting);
    if (isDue && !isDeleting && !restoreOf(branch)) deleteBranch(plane, branch, 'none');
  }
}
