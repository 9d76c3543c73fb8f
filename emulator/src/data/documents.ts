import { parseTimestamp } from '../records/clock';
import type { EndpointRecord } from '../records/endpoint-record';
import { isUnderWay, type OperationRecord, type Step } from '../records/operation-record';
import type { DatabaseAccess, ProjectRecord } from '../records/project-record';
import type { Branch, Operation, Project } from '../records/wire-types';

/** The JSON documents of the data file, one type per kind of record. They are sorted by the times in `wire`. */

export interface ProjectDocument {
  readonly wire: Project;
  readonly primaryBranchId: string;
  readonly database: DatabaseAccess;
}

export interface BranchDocument {
  readonly wire: Branch;
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

export function documentOfProject({ wire, primaryBranchId, database }: ProjectRecord): ProjectDocument {
  return { wire, primaryBranchId, database };
}

export function documentOfBranch({ deletedBranchIds }: ProjectRecord, wire: Branch): BranchDocument {
  return { wire, isDeleted: deletedBranchIds.has(wire.id) };
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
    branches: new Map(branches.map(({ wire }) => [wire.id, wire])),
    endpoints: new Map(endpoints.map(restoreEndpoint)),
    operations,
    unfinished: new Set(operations.filter(isUnderWay)),
    deletedBranchIds: new Set(deletedBranches.map(({ wire }) => wire.id)),
    deletedEndpoints: new Map(deletedEndpoints.map(restoreEndpoint)),
  };
}

function restoreEndpoint({ isDeleted: _, ...endpoint }: EndpointDocument): [string, EndpointRecord] {
  return [endpoint.wire.id, endpoint];
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
