import type { EndpointRecord } from './endpoint-record';
import type { OperationRecord } from './operation-record';
import type { ProjectRecord } from './project-record';
import type { Branch } from './wire-types';

/** Hears of every record that is added, changed or removed, in the tick in which that happens. */
export interface Journal {
  noteProject(project: ProjectRecord): void;
  /** It is gone, with all that belongs to it. */
  noteRemoval(project: ProjectRecord): void;
  noteBranch(project: ProjectRecord, branch: Branch): void;
  noteEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void;
  noteOperation(project: ProjectRecord, operation: OperationRecord): void;
}

/** Both hear of each change. */
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
