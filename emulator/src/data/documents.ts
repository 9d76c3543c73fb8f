import type { Change } from '../records/journal';
import {
  type BranchRecord,
  type EndpointRecord,
  emptyProject,
  type OperationRecord,
  type ProjectRecord,
} from '../records/records';

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
type PartDocument<Part> = Omit<Part, 'project'> & { readonly isDeleted: boolean };

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
  const document = {
    ...record,
    project: undefined,
    isDeleted: kind !== 'operations' && !project[kind].has(id),
  };
  return isDeleted ? [] : [{ projectId: wire.id, kind, id, document }];
}

/** The project with these rows, each kind oldest first. */
export function restoreProject(rows: readonly Row[]): ProjectRecord {
  // `rowsOf` made each document.
  const documentsOf = <Kind>(kind: Change['kind']) =>
    rows.filter((row) => row.kind === kind).map(({ document }) => document as unknown as Kind);
  const [document] = documentsOf<ProjectDocument>('projects');
  if (document === undefined) throw new Error('a record belongs to no project');
  const project = emptyProject(document.wire, document.primaryBranchId);
  for (const { isDeleted, ...branch } of documentsOf<PartDocument<BranchRecord>>('branches')) {
    if (isDeleted) project.deletedBranchIds.add(branch.wire.id);
    else project.branches.set(branch.wire.id, { ...branch, project });
  }
  for (const { isDeleted, ...endpoint } of documentsOf<PartDocument<EndpointRecord>>('endpoints'))
    (isDeleted ? project.deletedEndpoints : project.endpoints).set(endpoint.wire.id, {
      ...endpoint,
      project,
    });
  for (const { isDeleted: _, ...rest } of documentsOf<PartDocument<OperationRecord>>('operations')) {
    const operation = { ...rest, project };
    project.operations.push(operation);
    if (operation.progress !== 'ended') project.unfinished.add(operation);
  }
  return project;
}
