import type { ResourceList } from '../control-api/resource-list';
import type { Operation } from '../control-api/wire-types';
import type { ArgumentTable } from './argument-table';
import type { Work } from './provider-core';
import type { Subject } from './resource-errors';
import type { Properties } from './resource-identity';
import type { Unsettled } from './resource-state';
import type { Item, Rules, Situation, TakenOver } from './situation';

/** The response to a write. */
export interface Change<Shown> {
  readonly item: Shown;
  readonly operations: readonly Operation[];
}

/** What a create or update of one resource works with, once its id is known. */
export interface ResourceWork<Inputs> extends Work<Inputs>, Subject {}

/** What the flow needs to know of a type of resource: its arguments, and its rules. */
export interface Flow<Inputs extends object, Shown extends Item> extends Rules {
  readonly arguments: ArgumentTable<Inputs, Shown, object, string>;
  /** Whether only the resource shows what has become of an operation. */
  readonly isBlind: boolean;
  /** Whether operations of earlier runs may still change an existing resource that is taken over. */
  readonly mayHavePast: (item: Shown, origin: TakenOver) => boolean;
}

/** One resource of one run, as the flow sees it: its type, its requests, and its form in state. */
export interface Resource<Shown extends Item, Outputs> {
  readonly flow: Flow<Properties, Shown>;
  readonly work: ResourceWork<Properties>;
  readonly list: ResourceList<Shown>;
  /** Whether the operation works on this resource, and is not only a check of the service. */
  readonly isOfResource: (operation: Operation) => boolean;

  /** Sends these arguments and nothing else. Undefined where the service knows none of them. */
  readonly update: (names: readonly string[]) => (() => Promise<Change<Shown>>) | undefined;
  /** Suspends or starts the compute. Absent: it has none. */
  readonly control?: (verb: 'suspend' | 'start') => Promise<Change<Shown>>;
  /** Absent: it has no data of its own. */
  readonly reset?: {
    /** @param item as last seen */
    readonly send: (item: Shown | undefined) => Promise<Change<Shown>>;
    /** Whether the service has reset it since the last run that the state accounts for. */
    readonly isDone: (item: Shown) => boolean;
  };
  /** @throws Error when the rest of the run must not be sent. Absent: it may always be sent */
  readonly checkGate?: (situation: Situation, read: () => Promise<Shown>) => Promise<void>;

  /** Whether the service has finished what it does to the resource by itself. */
  readonly isReady: (item: Shown) => boolean;
  /** The outputs in state; undefined for a resource that is not in state. */
  readonly before: (Outputs & Unsettled) | undefined;
  /**
   * @param left what the next run resumes
   * @param asked the arguments that the program asks for, and of which nothing was sent
   */
  readonly toOutputs: (item: Shown, left: Unsettled, asked: readonly string[]) => Outputs;
}
