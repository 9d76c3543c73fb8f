import type { Change } from '../records/journal';
import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord } from '../records/records';

/** The state of a record, as the data file has it. */
export interface Row {
  readonly projectId: string;
  readonly kind: Change['kind'];
  readonly id: string;
  /** null deletes the project, and everything in it. */
  readonly document: Document | null;
}

interface Document {
  readonly wire: { readonly updated_at: string };
  readonly isDeleted?: boolean;
  readonly progress?: OperationRecord['progress'];
}

type ProjectDocument = Pick<ProjectRecord, 'wire' | 'primaryBranchId'>;
type PartDocument<Part> = Part & { readonly isDeleted: boolean };

/** The row that saves a change; none in a project that has been removed since. */
export function rowsOf(change: Change): Row[] {
  const { kind, project } = change;
  const { wire, primaryBranchId, isDeleted } = project;
  if (kind === 'projects') {
    const document: ProjectDocument = { wire, primaryBranchId };
    return [{ projectId: wire.id, kind, id: wire.id, document: isDeleted ? null : document }];
  }
  const { record } = change;
  const { id } = record.wire;
  const document = { ...record, isDeleted: kind !== 'operations' && !project[kind].has(id) };
  return isDeleted ? [] : [{ projectId: wire.id, kind, id, document }];
}

/** The project with these rows, each kind oldest first. */
export function restoreProject(rows: readonly Row[]): ProjectRecord {
  // `rowsOf` made each document.
  const documentsOf = <Kind>(kind: Change['kind']) =>
    rows.filter((row) => row.kind === kind).map(({ document }) => document as unknown as Kind);
  const [project] = documentsOf<ProjectDocument>('projects');
  if (project === undefined) throw new Error('a record belongs to no project');
  const [branches, deletedBranches] = byId(documentsOf<PartDocument<BranchRecord>>('branches'));
  const [endpoints, deletedEndpoints] = byId(documentsOf<PartDocument<EndpointRecord>>('endpoints'));
  const operations = documentsOf<OperationRecord>('operations');
  return {
    ...project,
    isDeleted: false,
    branches,
    endpoints,
    operations,
    unfinished: new Set(operations.filter(({ progress }) => progress !== 'ended')),
    deletedBranchIds: new Set(deletedBranches.keys()),
    deletedEndpoints,
  };
}

/** The records that exist, and those that were deleted. */
function byId<Record extends BranchRecord | EndpointRecord>(documents: readonly PartDocument<Record>[]) {
  const existing = new Map<string, Omit<PartDocument<Record>, 'isDeleted'>>();
  const deleted: typeof existing = new Map();
  for (const { isDeleted, ...record } of documents)
    (isDeleted ? deleted : existing).set(record.wire.id, record);
  return [existing, deleted] as const;
}
