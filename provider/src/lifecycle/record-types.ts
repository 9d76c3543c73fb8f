import type { Declared, Properties } from './resource-identity';

/**
 * What a run knows of a resource, by its URN. Which calls the engine makes in which order, and what each shows:
 * docs/internals/engine-calls.md.
 */
export interface ResourceRecord {
  /** What is in state, as far as the engine has passed it. */
  readonly inState?: Declared<Properties>;
  /** The id in state, once diff was asked. */
  readonly idInState?: string;
  /** What the program declares, as the engine has passed it in this run and since a refresh. */
  readonly declared?: Declared<Properties> | undefined;
  /** Whether the engine has read it: a refresh. */
  readonly isRead?: boolean;
  /** The id that the program reads under this URN, whatever is in state: an import or a lookup. */
  readonly found?: string;
  /** The create that this run makes: while it is `pending`, the resource is not deleted. Absent: none is known. */
  readonly create?: 'expected' | 'pending' | 'failed' | 'done';
  /** The create, while it runs. */
  readonly creation?: Promise<unknown> | undefined;
  /**
   * What diff has found. `early`: it is replaced, but the engine asked before it passed the declaration. `judged`: it is replaced.
   * `none`: nothing changes, or an update has succeeded, so a later create completes a replacement of an earlier run. Absent: it changes.
   */
  readonly replacement?: 'early' | 'judged' | 'none' | undefined;
  /** If the engine replaces the resource with its branch, or a branch with its parent: the id of that branch or parent. */
  readonly base?: string | undefined;
  /** For a branch that this run creates: the branch whose roles and databases it starts with, if that can be foreseen. */
  readonly source?: string | undefined;
}

/** What a run knows of an endpoint, a branch, a role or a database, by its id. */
export interface ItemRecord {
  /** The URN that keeps it: it has the id in state and no diff replaces it, or its create has returned it. */
  readonly holder?: string | undefined;
  /** Whether the holder's create has returned it in this run. */
  readonly isCreated?: boolean;
  /** The URN that takes it off its branch in this run, by a move or by a replacement that deletes it first. */
  readonly mover?: string | undefined;
  /** The new resource that is to take it over. */
  readonly adopter?: string;
  /** Of a branch: whether the state has it as protected, once diff was asked. */
  readonly wasProtected?: boolean;
  /**
   * Of a branch: what becomes of its reset in this run, as far as diff has found. `found`: a killed run or others have begun it, and the
   * update waits until it has ended.
   */
  readonly reset?: 'expected' | 'found' | 'done' | undefined;
  /** Of a branch: when it was last reset, as the state has it, once diff was asked. */
  readonly lastResetAt?: string | undefined;
  /** When a reset that was found took place: a role or a database that was created later is not affected. */
  readonly resetAt?: string | undefined;
  /** For a branch whose reset is expected: the branch whose roles and databases it then has, if that can be foreseen. */
  readonly source?: string | undefined;
  /** For a branch that a change replaces: the endpoints on it that the preview knows. */
  readonly foreseen?: readonly string[];
  /** The delete of this run, unless it has failed or has found that the item stays: others wait for its end. */
  readonly leaving?: Promise<void> | undefined;
  /** The URN whose delete of it has failed in this run: it stays in state under that URN. */
  readonly leftTo?: string | undefined;
}
