import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord } from './records';

/** A record that was added, changed or deleted. A deleted branch or endpoint is no longer among those of its project. */
export type Change = { readonly project: ProjectRecord } & (
  | { readonly kind: 'projects' }
  | { readonly kind: 'branches'; readonly record: BranchRecord }
  | { readonly kind: 'endpoints'; readonly record: EndpointRecord }
  | { readonly kind: 'operations'; readonly record: OperationRecord }
);

export interface Receiver {
  note(change: Change): void;
}

export class Journal {
  readonly #receivers: readonly Receiver[];

  constructor(receivers: readonly Receiver[]) {
    this.#receivers = receivers;
  }

  noteProject(project: ProjectRecord): void {
    this.#note({ project, kind: 'projects' });
  }

  noteBranch(record: BranchRecord): void {
    this.#note({ project: record.project, kind: 'branches', record });
  }

  noteEndpoint(record: EndpointRecord): void {
    this.#note({ project: record.project, kind: 'endpoints', record });
  }

  noteOperation(record: OperationRecord): void {
    this.#note({ project: record.project, kind: 'operations', record });
  }

  #note(change: Change): void {
    for (const receiver of this.#receivers) receiver.note(change);
  }
}
