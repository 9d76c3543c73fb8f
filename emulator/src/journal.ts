import type { OperationRecord } from './operation-runner';
import type { EndpointRecord, ProjectRecord } from './store';
import type { Branch } from './wire';

/** Hears of every record that is added, changed or removed, in the tick in which that happens. */
export interface Journal {
  noteProject(project: ProjectRecord): void;
  /** It is gone, with all that belongs to it. */
  noteRemoval(project: ProjectRecord): void;
  noteBranch(project: ProjectRecord, branch: Branch): void;
  noteEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void;
  noteOperation(project: ProjectRecord, operation: OperationRecord): void;
}

/** Of an emulator that holds everything in memory. */
export const NO_JOURNAL: Journal = {
  noteProject() {},
  noteRemoval() {},
  noteBranch() {},
  noteEndpoint() {},
  noteOperation() {},
};
