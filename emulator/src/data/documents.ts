import { parseTimestamp } from '../records/clock';
import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord } from '../records/records';

/** The JSON documents of a project in the data file, each kind oldest first. */
export interface ProjectDocuments {
  /** One. */
  readonly projects: Pick<ProjectRecord, 'wire' | 'primaryBranchId'>[];
  readonly branches: Deletable<BranchRecord>[];
  readonly endpoints: Deletable<EndpointRecord>[];
  readonly operations: OperationDocument[];
}

type Deletable<Item> = Item & { readonly isDeleted: boolean };

interface OperationDocument extends Omit<OperationRecord, 'after' | 'createdMicros'> {
  /** The id of the operation that must finish first. */
  readonly after?: string;
}

export function documentOfOperation(operation: OperationRecord): OperationDocument {
  const { after, createdMicros: _, ...document } = operation;
  return { ...document, ...(after === undefined ? {} : { after: after.wire.id }) };
}

export function restoreProject(documents: ProjectDocuments): ProjectRecord {
  const [project] = documents.projects;
  if (project === undefined) throw new Error('a record belongs to no project');
  const operations = restoreOperations(documents.operations);
  const [branches, deletedBranches] = byId(documents.branches);
  const [endpoints, deletedEndpoints] = byId(documents.endpoints);
  return {
    ...project,
    branches,
    endpoints,
    operations,
    unfinished: new Set(operations.filter(({ progress }) => progress !== 'ended')),
    deletedBranchIds: new Set(deletedBranches.keys()),
    deletedEndpoints,
  };
}

/** The records that exist, and those that were deleted. */
function byId<Item extends BranchRecord | EndpointRecord>(documents: readonly Deletable<Item>[]) {
  const existing = new Map<string, Omit<Deletable<Item>, 'isDeleted'>>();
  const deleted: typeof existing = new Map();
  for (const { isDeleted, ...record } of documents)
    (isDeleted ? deleted : existing).set(record.wire.id, record);
  return [existing, deleted] as const;
}

function restoreOperations(documents: readonly OperationDocument[]): OperationRecord[] {
  const restored = new Map<string, OperationRecord>();
  for (const { wire, after, ...operation } of documents) {
    const createdMicros = parseTimestamp(wire.created_at);
    if (createdMicros === undefined) throw new Error(`operation ${wire.id} has no creation time`);
    // Operations are sorted by age, so the one that this operation waits for is already restored.
    restored.set(wire.id, { ...operation, wire, createdMicros, after: restored.get(after ?? '') });
  }
  return [...restored.values()];
}
