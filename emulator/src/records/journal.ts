import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord } from './records';

/** Receives every record that is added, changed or removed, in the same tick. */
export interface Journal {
  noteProject(project: ProjectRecord): void;
  /** The project no longer exists, and neither does anything in it. */
  noteRemoval(project: ProjectRecord): void;
  noteBranch(project: ProjectRecord, branch: BranchRecord): void;
  noteEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void;
  noteOperation(project: ProjectRecord, operation: OperationRecord): void;
}

/** A journal that passes every change to all of these. */
export function joinJournals(...journals: readonly Journal[]): Journal {
  const each = (note: (journal: Journal) => void): void => {
    for (const journal of journals) note(journal);
  };
  return {
    noteProject: (...change) => each((journal) => journal.noteProject(...change)),
    noteRemoval: (...change) => each((journal) => journal.noteRemoval(...change)),
    noteBranch: (...change) => each((journal) => journal.noteBranch(...change)),
    noteEndpoint: (...change) => each((journal) => journal.noteEndpoint(...change)),
    noteOperation: (...change) => each((journal) => journal.noteOperation(...change)),
  };
}
