import { parseTimestamp } from '../records/clock';
import {
  type BranchRecord,
  type EndpointRecord,
  isUnderWay,
  type OperationRecord,
  type ProjectRecord,
  type Step,
} from '../records/records';
import type { Operation, Project } from '../records/wire-types';

/** The JSON documents of the data file, one type per kind of record. They are sorted by the times in `wire`. */

export interface ProjectDocument {
  readonly wire: Project;
  readonly primaryBranchId: string;
}

/** Data version 1 has no roles, databases and starts of operations. */
export interface BranchDocument extends Pick<BranchRecord, 'wire'>, Partial<Omit<BranchRecord, 'wire'>> {
  readonly isDeleted: boolean;
}

export interface EndpointDocument extends EndpointRecord {
  readonly isDeleted: boolean;
}

export interface OperationDocument {
  readonly wire: Operation;
  readonly step: Step;
  /** The id of the operation that must finish first. */
  readonly after?: string;
  readonly progress: OperationRecord['progress'];
  readonly startedMicros?: number | undefined;
}

export function documentOfProject({ wire, primaryBranchId }: ProjectRecord): ProjectDocument {
  return { wire, primaryBranchId };
}

export function documentOfBranch({ deletedBranchIds }: ProjectRecord, branch: BranchRecord): BranchDocument {
  return { ...branch, isDeleted: deletedBranchIds.has(branch.wire.id) };
}

export function documentOfEndpoint(
  { deletedEndpoints }: ProjectRecord,
  endpoint: EndpointRecord,
): EndpointDocument {
  return { ...endpoint, isDeleted: deletedEndpoints.has(endpoint.wire.id) };
}

export function documentOfOperation(operation: OperationRecord): OperationDocument {
  const { after, createdMicros: _, ...document } = operation;
  return { ...document, ...(after === undefined ? {} : { after: after.wire.id }) };
}

export interface ProjectDocuments {
  readonly project: ProjectDocument;
  readonly branches: readonly BranchDocument[];
  readonly endpoints: readonly EndpointDocument[];
  readonly operations: readonly OperationDocument[];
}

/** Restores a project from its documents, each kind oldest first. */
export function restoreProject(documents: ProjectDocuments): ProjectRecord {
  const operations = restoreOperations(documents.operations);
  const branches = documents.branches.filter(({ isDeleted }) => !isDeleted);
  const deletedBranches = documents.branches.filter(({ isDeleted }) => isDeleted);
  const endpoints = documents.endpoints.filter(({ isDeleted }) => !isDeleted);
  const deletedEndpoints = documents.endpoints.filter(({ isDeleted }) => isDeleted);
  return {
    ...documents.project,
    branches: new Map(
      branches.map((branch) =>
        restoreRecord({ ...branch, roles: branch.roles ?? [], databases: branch.databases ?? [] }),
      ),
    ),
    endpoints: new Map(endpoints.map(restoreRecord)),
    operations,
    unfinished: new Set(operations.filter(isUnderWay)),
    deletedBranchIds: new Set(deletedBranches.map(({ wire }) => wire.id)),
    deletedEndpoints: new Map(deletedEndpoints.map(restoreRecord)),
  };
}

function restoreRecord<Document extends BranchDocument | EndpointDocument>({
  isDeleted: _,
  ...record
}: Document): [string, Omit<Document, 'isDeleted'>] {
  return [record.wire.id, record];
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
