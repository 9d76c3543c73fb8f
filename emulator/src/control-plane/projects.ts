import { toTimestamp } from '../records/clock';
import { newProjectId } from '../records/ids';
import { emptyProject, type OperationRecord, type ProjectRecord, type Step } from '../records/records';
import { ACCOUNT_ID, type Project, REGION_ID } from '../records/wire-types';
import {
  defaultsOf,
  firstNamesOf,
  type NewProject,
  type ProjectChange,
} from '../requests/project-attributes';
import { checkNotProtected } from './branch-rules';
import { newBranch } from './branches';
import type { ControlPlane } from './control-plane';
import { addEndpoint, checkNewEndpoint, firstSteps } from './endpoints';
import { checkUnlocked } from './locks';
import { firstAccess } from './roles-and-databases';

const BILLING_PERIOD_MICROS = 30 * 24 * 3600 * 1e6;

/** Validates and adds a project with its primary branch and that branch's endpoint; the caller runs the steps. */
export function addProject(plane: ControlPlane, requested: NewProject) {
  const wire = newProject(plane, requested);
  const branchWire = newBranch(plane, wire.id, { name: requested.branch?.name }, true);
  const { id: branchId, created_at } = branchWire;
  const project = emptyProject(wire, branchId);
  const access = firstAccess(branchId, firstNamesOf(requested), created_at);
  const branch = { project, wire: branchWire, ...access };
  checkNewEndpoint(plane, project, wire.default_endpoint_settings ?? {});
  plane.store.addProject(project);
  plane.store.addBranch(branch);
  const endpoint = addEndpoint(plane, project, { branch_id: branchId, type: 'read_write' });
  const create: Step = { action: 'create_timeline', branchId, purpose: 'branch-creation' };
  return { project, branch, endpoint, steps: [create, ...firstSteps(endpoint)] };
}

/** Changes a project. The defaults apply to new endpoints; only a change of the history retention needs an operation. */
export function updateProject(
  plane: ControlPlane,
  project: ProjectRecord,
  { default_endpoint_settings: defaults, settings: _refused, ...requested }: ProjectChange,
): readonly OperationRecord[] {
  const { wire, primaryBranchId: branchId } = project;
  const merged = defaults && { ...wire.default_endpoint_settings, ...defaults };
  if (merged !== undefined) checkNewEndpoint(plane, project, merged);
  checkUnlocked(plane.settings.locks, project, {});
  const before = wire.history_retention_seconds;
  Object.assign(wire, requested, merged && { default_endpoint_settings: merged }, {
    updated_at: plane.clock.now(),
  });
  plane.journal.noteProject(project);
  const isApplied = before === wire.history_retention_seconds;
  return plane.runner.start(project, isApplied ? [] : [{ action: 'apply_storage_config', branchId }]);
}

/** Deletes a project. It is removed, with everything in it, once delete_tenant has finished. */
export function deleteProject(plane: ControlPlane, project: ProjectRecord): void {
  for (const { wire } of project.branches.values()) checkNotProtected(wire, 'its project cannot be deleted');
  checkUnlocked(plane.settings.locks, project, {});
  plane.runner.start(project, [
    { action: 'delete_tenant', branchId: project.primaryBranchId, purpose: 'project-deletion' },
  ]);
}

function newProject(plane: ControlPlane, requested: NewProject): Project {
  const id = newProjectId();
  const nowMicros = plane.clock.nextMicros();
  const now = toTimestamp(nowMicros);
  const defaults = defaultsOf(requested);
  return {
    id,
    name: requested.name ?? id,
    region_id: requested.region_id ?? REGION_ID,
    platform_id: 'local',
    provisioner: requested.provisioner ?? 'k8s-neonvm',
    pg_version: plane.dataPlane?.version ?? requested.pg_version ?? 17,
    proxy_host: 'postgres.localhost',
    ...(defaults && { default_endpoint_settings: defaults }),
    branch_logical_size_limit: 512,
    branch_logical_size_limit_bytes: 512 * 1024 * 1024,
    store_passwords: requested.store_passwords ?? true,
    history_retention_seconds: requested.history_retention_seconds ?? 86_400,
    creation_source: 'emulator',
    owner_id: ACCOUNT_ID,
    org_id: ACCOUNT_ID,
    active_time_seconds: 0,
    compute_time_seconds: 0,
    cpu_used_sec: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    data_storage_bytes_hour: 0,
    consumption_period_start: now,
    consumption_period_end: toTimestamp(nowMicros + BILLING_PERIOD_MICROS),
    created_at: now,
    updated_at: now,
  };
}
