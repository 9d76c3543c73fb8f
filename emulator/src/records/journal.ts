import type { EndpointRecord } from './endpoint-record';
import type { OperationRecord } from './operation-record';
import type { ProjectRecord } from './project-record';
import type { Branch } from './wire-types';

/** Receives every record that is added, changed or removed, in the same tick. */
export interface Journal {
  noteProject(project: ProjectRecord): void;
  /** The project no longer exists, and neither does anything in it. */
  noteRemoval(project: ProjectRecord): void;
  noteBranch(project: ProjectRecord, branch: Branch): void;
  noteEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void;
  noteOperation(project: ProjectRecord, operation: OperationRecord): void;
}

/** A journal that passes every change to both. */
export function joinJournals(one: Journal, other: Journal): Journal {
  return {
    noteProject(project) {
      one.noteProject(project);
      other.noteProject(project);
    },
    noteRemoval(project) {
      one.noteRemoval(project);
      other.noteRemoval(project);
    },
    noteBranch(project, branch) {
      one.noteBranch(project, branch);
      other.noteBranch(project, branch);
    },
    noteEndpoint(project, endpoint) {
      one.noteEndpoint(project, endpoint);
      other.noteEndpoint(project, endpoint);
    },
    noteOperation(project, operation) {
      one.noteOperation(project, operation);
      other.noteOperation(project, operation);
    },
  };
}
