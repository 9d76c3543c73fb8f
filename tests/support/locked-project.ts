import type { Operation } from '../../provider/src/control-api/wire-types';
import { forever, QueuedProject, running } from './queued-project';

/** A project whose operation op-7 never finishes. */
export const lockedProject = (...operations: ((ms: number) => Operation[])[]) =>
  new QueuedProject(...operations, running('op-7', 0, forever));

/**
 * The error of a write that waited in that project, up to the duration. A twentieth of each deadline, at most 5 s, is
 * left for the response to a last try.
 */
export const lastTried = 'POST /endpoints: 423 Locked (create_branch op-7 running); waited';
