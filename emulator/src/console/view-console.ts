import { createHash } from 'node:crypto';
import type { ControlPlane } from '../control-plane/control-plane';
import type { DataPlane } from '../control-plane/data-plane';
import type { EndpointRecord, OperationRecord, ProjectRecord } from '../records/records';
import type { Endpoint, EndpointState } from '../records/wire-types';

// The types are those of the page's scripts, too.
export type ConsoleView = ReturnType<typeof viewConsole>;
export type ProjectEntry = ReturnType<typeof viewEntry>;
export type ProjectView = ReturnType<typeof viewProject>;
export type EndpointView = ReturnType<typeof viewEndpoint>;
export type OperationView = ReturnType<typeof viewOperation>;

/** Limits the size of the page of a long-lived emulator; the view also contains the total numbers. */
const MOST_SHOWN = { projects: 100, endpoints: 500, operations: 100 };

/** The view of the project with this id, or of the newest project if that does not exist. */
export function viewConsole(
  { store: { projects }, dataPlane }: Pick<ControlPlane, 'store' | 'dataPlane'>,
  projectId: string | undefined,
) {
  const newestFirst = [...projects.values()].reverse();
  const chosen = projects.get(projectId ?? '') ?? newestFirst[0];
  const view = {
    /** Newest first. */
    projects: newestFirst.slice(0, MOST_SHOWN.projects).map(viewEntry),
    projectCount: projects.size,
    project: chosen === undefined ? null : viewProject(chosen, dataPlane),
  };
  // The browser's clock may differ.
  return { version: versionOf(view), nowMs: Date.now(), ...view };
}

/** A hash of the content, so that it stays valid when the emulator restarts. The page waits for another one. */
function versionOf(view: object): string {
  return createHash('sha256').update(JSON.stringify(view)).digest('base64url');
}

function viewEntry({ wire, endpoints, unfinished }: ProjectRecord) {
  return { id: wire.id, name: wire.name, endpointCount: endpoints.size, unfinishedCount: unfinished.size };
}

function viewProject(project: ProjectRecord, dataPlane: DataPlane | undefined) {
  const { wire, branches, endpoints, operations } = project;
  return {
    id: wire.id,
    name: wire.name,
    regionId: wire.region_id,
    pgVersion: wire.pg_version,
    branchCount: branches.size,
    /** Oldest first. */
    endpoints: [...endpoints.values()]
      .slice(0, MOST_SHOWN.endpoints)
      .map((endpoint) => viewEndpoint(project, endpoint, dataPlane)),
    endpointCount: endpoints.size,
    /** Newest first. */
    operations: operations
      .slice(-MOST_SHOWN.operations)
      .reverse()
      .map((operation) => viewOperation(project, operation)),
    operationCount: operations.length,
  };
}

function viewEndpoint(project: ProjectRecord, { wire }: EndpointRecord, dataPlane: DataPlane | undefined) {
  const state = stateLabel(wire, wire.current_state);
  const [database] = project.branches.get(wire.branch_id)?.databases ?? [];
  const nextState = wire.pending_state === undefined ? state : stateLabel(wire, wire.pending_state);
  return {
    id: wire.id,
    name: wire.name ?? null,
    branch: branchName(project, wire.branch_id),
    type: wire.type,
    minCu: wire.autoscaling_limit_min_cu,
    maxCu: wire.autoscaling_limit_max_cu,
    suspendTimeoutSeconds: wire.suspend_timeout_seconds,
    lastActive: wire.last_active ?? null,
    /** Connected clients; null in an emulator without Postgres. */
    connections: dataPlane?.connections(wire.id) ?? null,
    /** For the connection string to copy; null in an emulator without Postgres, or without a database. */
    login: dataPlane && database ? { database: database.name, role: database.owner_name } : null,
    state,
    /** The label of the state it is moving to; null if its label does not change. */
    nextState: nextState === state ? null : nextState,
  };
}

function viewOperation(project: ProjectRecord, operation: OperationRecord) {
  const { wire, progress } = operation;
  return {
    id: wire.id,
    action: wire.action,
    branch: branchName(project, wire.branch_id),
    endpointId: wire.endpoint_id ?? null,
    status: statusLabel(wire.status),
    error: wire.error ?? null,
    createdAt: wire.created_at,
    /** null until it has ended. */
    durationMs: progress === 'ended' ? wire.total_duration_ms : null,
  };
}

function branchName({ branches }: ProjectRecord, branchId: string): string {
  return branches.get(branchId)?.wire.name ?? branchId;
}

/** The console's labels of operation statuses. Source: docs/service.md, "Operations"; the OpenAPI description adds `error`. */
const STATUS_LABELS = new Map(
  Object.entries({
    scheduling: 'Scheduling',
    running: 'In progress',
    finished: 'OK',
    failed: 'Error',
    error: 'Error',
  }),
);

/** The console has no label for init. A compute that has never started is idle. */
const STATE_LABELS: Readonly<Record<EndpointState, string>> = {
  init: 'Idle',
  idle: 'Idle',
  active: 'Active',
};

/** A status without a label, such as cancelled, is shown capitalized. */
export function statusLabel(status: string): string {
  return STATUS_LABELS.get(status) ?? `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
}

/** Stopped means that nothing starts the compute: the endpoint is disabled and its compute is down. */
export function stateLabel({ disabled }: Pick<Endpoint, 'disabled'>, state: EndpointState): string {
  return disabled && state !== 'active' ? 'Stopped' : STATE_LABELS[state];
}
