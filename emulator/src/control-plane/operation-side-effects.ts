import {
  type BranchRecord,
  type EndpointRecord,
  endpointsOfBranch,
  type OperationRecord,
  type ProjectRecord,
  type Purpose,
  type Step,
} from '../records/records';
import { undoPreserve } from './branch-restore';
import { changeBranch, makeReady } from './branches';
import type { ControlPlane } from './control-plane';
import { removeEndpoint } from './endpoints';
import { countSimulatedDrop } from './power-state';

interface Ended {
  readonly project: ProjectRecord;
  readonly step: Step;
  readonly branch: BranchRecord | undefined;
  readonly endpoint: EndpointRecord | undefined;
}
type Outcome = (plane: ControlPlane, ended: Ended) => void;

const OUTCOMES: Readonly<Record<Purpose, { readonly finished: Outcome; readonly failed?: Outcome }>> = {
  'branch-creation': { finished: makeBranchReady },
  'branch-restore': { finished: finishRestore, failed: undoRestore },
  'branch-deletion': { finished: removeBranchWithEndpoint, failed: keepEndpoint },
  'connection-drop': { finished: countDrop },
  'endpoint-deletion': { finished: removeEndpointOfStep, failed: keepEndpoint },
  'endpoint-restart': { finished: countRestart },
  'project-deletion': { finished: removeProject },
};

export function applyOutcome(plane: ControlPlane, { project, step, wire }: OperationRecord): void {
  const ending = wire.status === 'finished' ? 'finished' : 'failed';
  const branch = project.branches.get(step.branchId);
  const endpoint = project.endpoints.get(step.endpointId ?? '');
  if (step.purpose !== undefined)
    OUTCOMES[step.purpose][ending]?.(plane, { project, step, branch, endpoint });
}

function makeBranchReady(plane: ControlPlane, { branch }: Ended): void {
  if (branch !== undefined) makeReady(plane, branch);
}

function finishRestore(plane: ControlPlane, ended: Ended): void {
  const { roles = [], databases = [] } = ended.step.restore?.access ?? {};
  ended.branch?.roles.splice(0, Number.POSITIVE_INFINITY, ...roles);
  ended.branch?.databases.splice(0, Number.POSITIVE_INFINITY, ...databases);
  makeBranchReady(plane, ended);
}

function undoRestore(plane: ControlPlane, ended: Ended): void {
  const { project, step, branch } = ended;
  undoPreserve(plane, project, step);
  // Without locks, its creation may have ended since.
  const former = branch?.wire.current_state === 'resetting' ? step.restore?.former : undefined;
  makeBranchReady(plane, ended);
  if (branch && former) changeBranch(plane, branch, { current_state: former });
}

function removeEndpointOfStep(plane: ControlPlane, { endpoint }: Ended): void {
  if (endpoint !== undefined) removeEndpoint(plane, endpoint);
}

function removeBranchWithEndpoint(plane: ControlPlane, ended: Ended): void {
  removeEndpointOfStep(plane, ended);
  const { project, branch } = ended;
  if (branch && endpointsOfBranch(project, branch.wire.id).length === 0) plane.store.removeBranch(branch);
}

function keepEndpoint(plane: ControlPlane, { endpoint }: Ended): void {
  if (endpoint === undefined) return;
  endpoint.deleting = false;
  plane.journal.noteEndpoint(endpoint);
}

/** Runs when the suspend_compute of a restart finishes, which is when the connections drop. */
function countRestart(plane: ControlPlane, { endpoint }: Ended): void {
  if (endpoint === undefined) return;
  endpoint.restarts += 1;
  plane.journal.noteEndpoint(endpoint);
}

function countDrop(plane: ControlPlane, { endpoint }: Ended): void {
  if (endpoint && countSimulatedDrop(plane.dataPlane, endpoint)) plane.journal.noteEndpoint(endpoint);
}

function removeProject(plane: ControlPlane, { project }: Ended): void {
  for (const endpoint of [...project.endpoints.values()]) removeEndpoint(plane, endpoint);
  plane.store.removeProject(project);
}
