import type { EmulatorOptions, Fault } from 'postgres-control-emulator';
import type { Mishap } from '../engine/simulated-run';
import type { BranchPlan } from './branch-plan';
import type { Disturbance } from './other-people';
import type { SlotPlan, SlotTraits } from './slot-plan';

// A scenario is data drawn from a seed: what the programs declare in each round, and what goes wrong.

export interface Round {
  /** Whether it only prepares the next round: nothing goes wrong, and the checks at rest are left out. */
  readonly isQuiet: boolean;
  /**
   * Whether the user edits the programs again, instead of repairing, after a run that failed or did not wait and, if it was cut off,
   * was repeated, and that has left the same endpoints in the states as at the service.
   */
  readonly isLeft: boolean;
  /** What each slot of the programs declares. */
  readonly slots: readonly SlotPlan[];
  /** The Branch of each slot; empty in a schedule without branches. */
  readonly branches: readonly BranchPlan[];
  readonly command: 'up' | 'up --refresh' | 'refresh' | 'destroy' | 'destroy --refresh';
  readonly forced: readonly {
    readonly slot: number;
    readonly how: '--replace' | 'taint' | 'replaceOnChanges';
    /** Whether it replaces the slot's Branch. */
    readonly isBranch?: boolean;
  }[];
  readonly faults: readonly Fault[];
  readonly mishap: Mishap;
  /** Whether the user starts a second run of the stack beside the first. */
  readonly isRunTwice: boolean;
  /** How long nothing happens before the round: the service suspends computes that are idle. Milliseconds. */
  readonly idleMs: number;
  /** Whether a run that failed is repeated at once, under the faults that are left. */
  readonly isRepeated: boolean;
  /** Whether the programs say `allowRestart: false` until the user recovers. */
  readonly isGuarded: boolean;
  /** What other people do in the meantime. */
  readonly disturbances: readonly Disturbance[];
  /** Late reads during the repairing run. */
  readonly lateReads: readonly Fault[];
  readonly refreshesBetween: boolean;
  readonly isPreviewed: boolean;
  /** Whether the round ends with a refresh that must find nothing. */
  readonly refreshesAfter: boolean;
}

export interface Scenario {
  /** Decides what the data leave open: delays, ids and jitter. */
  readonly seed: number;
  readonly service: EmulatorOptions;
  /** The setting `requestsPerMinute`; undefined: the default. */
  readonly requestsPerMinute: number | undefined;
  /** The longest page of operations that the service returns; undefined: as long as a client asks for. */
  readonly longestPage: number | undefined;
  readonly longestDelayMs: number;
  readonly timeoutSeconds: number;
  readonly traits: readonly SlotTraits[];
  /** The slots from this one on belong to a second stack. */
  readonly secondStackFrom: number;
  /** Whether the other resources of the first stack depend on its first one. */
  readonly areDependent: boolean;
  readonly rounds: readonly Round[];
}

/** Whether the round's command deletes everything. */
export function isDestroy({ command }: Pick<Round, 'command'>): boolean {
  return command === 'destroy' || command === 'destroy --refresh';
}
