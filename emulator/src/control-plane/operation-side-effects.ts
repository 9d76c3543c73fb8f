import {
  type EndpointRecord,
  endpointsOfBranch,
  type ProjectRecord,
  type Purpose,
  type Step,
} from '../records/records';
import { undoPreserve } from './branch-restore';
import { changeBranch, makeReady } from './branches';
import type { ControlPlane } from './control-plane';
import { removeEndpoint } from './endpoints';
import { countSimulatedDrop } from './power-state';

type Outcome = (plane: ControlPlane, project: ProjectRecord, step: Step) => void;

const nothing: Outcome = () => undefined;

const OUTCOMES: Readonly<Record<Purpose, { readonly finished: Outcome; readonly failed: Outcome }>> = {
  'branch-creation': { finished: makeBranchReady, failed: nothing },
  'branch-restore': { finished: finishRestore, failed: undoRestore },
  'branch-deletion': { finished: removeBranchWithEndpoint, failed: keepEndpoint },
  'connection-drop': { finished: countDrop, failed: nothing },
  'endpoint-deletion': { finished: removeEndpointOfStep, failed: keepEndpoint },
  'endpoint-restart': { finished: countRestart, failed: nothing },
  'project-deletion': { finished: removeProject, failed: nothing },
};

/** Updates the records when an operation ends, according to its purpose. */
export function applyOutcome(
  plane: ControlPlane,
  project: ProjectRecord,
  step: Step,
  ending: 'finished' | 'failed',
): void {
  if (step.purpose !== undefined) OUTCOMES[step.purpose][ending](plane, project, step);
}

function makeBranchReady(plane: ControlPlane, project: ProjectRecord, { branchId }: Step): void {
  const branch = project.branches.get(branchId);
  if (branch !== undefined) makeReady(plane, project, branch);
}

function finishRestore(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  const branch = project.branches.get(step.branchId);
  const { roles = [], databases = [] } = step.restore?.access ?? {};
  branch?.roles.splice(0, Number.POSITIVE_INFINITY, ...roles);
  branch?.databases.splice(0, Number.POSITIVE_INFINITY, ...databases);
  makeBranchReady(plane, project, step);
}

function undoRestore(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  undoPreserve(plane, project, step);
  const branch = project.branches.get(step.branchId);
  // Without locks, its creation may have ended since.
  const former = branch?.wire.current_state === 'resetting' ? step.restore?.former : undefined;
  makeBranchReady(plane, project, step);
  if (branch && former) changeBranch(plane, project, branch, { current_state: former });
}

function removeEndpointOfStep(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  const endpoint = endpointOf(project, step);
  if (endpoint !== undefined) removeEndpoint(plane, project, endpoint);
}

function removeBranchWithEndpoint(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  removeEndpointOfStep(plane, project, step);
  if (endpointsOfBranch(project, step.branchId).length === 0)
    plane.store.removeBranch(project, step.branchId);
}

function keepEndpoint(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  const endpoint = endpointOf(project, step);
  if (endpoint === undefined) return;
  endpoint.deleting = false;
  plane.journal.noteEndpoint(project, endpoint);
}

/** Runs when the suspend_compute of a restart finishes, which is when the connections drop. */
function countRestart(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  const endpoint = endpointOf(project, step);
  if (endpoint === undefined) return;
  endpoint.restarts += 1;
  plane.journal.noteEndpoint(project, endpoint);
}

function countDrop(plane: ControlPlane, project: ProjectRecord, step: Step): void {
  const endpoint = endpointOf(project, step);
  if (endpoint && countSimulatedDrop(plane.dataPlane, endpoint))
    plane.journal.noteEndpoint(project, endpoint);
}

function removeProject(plane: ControlPlane, project: ProjectRecord): void {
  for (const endpoint of [...project.endpoints.values()]) removeEndpoint(plane, project, endpoint);
  plane.store.removeProject(project);
}

function endpointOf(project: ProjectRecord, { endpointId }: Step): EndpointRecord | undefined {
  return project.endpoints.get(endpointId ?? '');
}
