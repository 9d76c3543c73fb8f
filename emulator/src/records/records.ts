import type { Branch, Database, Endpoint, EndpointSettings, Operation, Project, Role } from './wire-types';

export interface BranchRecord {
  readonly project: ProjectRecord;
  readonly wire: Branch;
  /** The branch of which it gets a copy when it is created: of its data, or only of its schema. */
  readonly sourceId?: string | undefined;
  /** With their passwords, oldest first. */
  readonly roles: Role[];
  /** Oldest first. */
  readonly databases: Database[];
}

export interface EndpointRecord {
  readonly project: ProjectRecord;
  readonly wire: Endpoint;
  /** How often one request took the compute down and brought it up again. */
  restarts: number;
  /** How often the compute went down, except by autosuspend; with real servers, how many clients were cut off. */
  connectionDrops: number;
  /** A delete is waiting for the compute to be suspended. */
  deleting: boolean;
  /** With real servers, those of the last operation that applied them: `wire` may have some that no server starts with. */
  settingsInEffect?: EndpointSettings;
}

/**
 * What the end of an operation means for the records, beyond the endpoint's state. A name instead of a function, so that
 * the data file can store it and another process can resume the operation.
 */
export type Purpose =
  | 'branch-creation'
  | 'branch-deletion'
  | 'branch-restore'
  | 'connection-drop'
  | 'endpoint-deletion'
  | 'endpoint-restart'
  | 'project-deletion';

/** An operation to run, and its effect on the records. */
export interface Step {
  readonly action: string;
  readonly branchId: string;
  readonly endpointId?: string;
  readonly movesTo?: 'active' | 'idle';
  /** The compute is suspended for lack of use, so no connection drops. */
  readonly isAutosuspend?: boolean;
  readonly purpose?: Purpose;
  readonly restore?: {
    readonly sourceId: string;
    /** The new branch that keeps the previous data. */
    readonly preservedId?: string | undefined;
    /** What the branch is again if it fails: it may not have any data yet. */
    readonly former?: Branch['current_state'];
    /** The roles and databases of the branch, from when it has the data. */
    readonly access: Pick<BranchRecord, 'roles' | 'databases'>;
  };
}

export interface OperationRecord {
  readonly project: ProjectRecord;
  readonly wire: Operation;
  readonly step: Step;
  /** The id of the first operation of the same request. They run one after the other. */
  readonly chainId: string;
  progress: 'waiting' | 'started' | 'ended';
}

export interface ProjectRecord {
  readonly wire: Project;
  /** It no longer exists, and neither does anything in it. */
  isDeleted: boolean;
  /** The default branch, which the API also calls the primary branch. */
  primaryBranchId: string;
  readonly branches: Map<string, BranchRecord>;
  readonly endpoints: Map<string, EndpointRecord>;
  /** Every operation, oldest first. */
  readonly operations: OperationRecord[];
  /** Those that have not ended, oldest first: they block writes, and later operations of the same endpoint. */
  readonly unfinished: Set<OperationRecord>;
  readonly deletedBranchIds: Set<string>;
  readonly deletedEndpoints: Map<string, EndpointRecord>;
}

export function emptyProject(wire: Project, primaryBranchId: string): ProjectRecord {
  return {
    wire,
    isDeleted: false,
    primaryBranchId,
    branches: new Map(),
    endpoints: new Map(),
    operations: [],
    unfinished: new Set(),
    deletedBranchIds: new Set(),
    deletedEndpoints: new Map(),
  };
}

export function endpointsOfBranch(project: ProjectRecord, branchId: string): EndpointRecord[] {
  return [...project.endpoints.values()].filter((endpoint) => endpoint.wire.branch_id === branchId);
}

export function readWriteEndpointOf(project: ProjectRecord, branchId: string): EndpointRecord | undefined {
  return endpointsOfBranch(project, branchId).find(({ wire }) => wire.type === 'read_write');
}

export function isActive({ project, wire }: EndpointRecord): boolean {
  return project.endpoints.has(wire.id) && wire.current_state === 'active';
}

/** The operations under way for an endpoint, oldest first. */
export function unfinishedOf({ project, wire }: EndpointRecord): OperationRecord[] {
  return [...project.unfinished].filter(({ step }) => step.endpointId === wire.id);
}
