import type { FaultRegistry } from '../faults/fault-registry';
import type { Settings } from '../options/emulator-options';
import type { Clock } from '../records/clock';
import type { History } from '../records/history';
import type { Journal } from '../records/journal';
import type { Store } from '../records/store';
import type { Autosuspend } from './autosuspend';
import type { DataPlane } from './data-plane';
import type { OperationRunner } from './operation-runner';

/** The parts of a running emulator that the routes and the controls act on. */
export interface ControlPlane {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly history: History;
  readonly store: Store;
  readonly faults: FaultRegistry;
  readonly runner: OperationRunner;
  readonly autosuspend: Autosuspend;
  /** Without it, no client can connect: `connect` of the controls stands in for a connection. */
  readonly dataPlane: DataPlane | undefined;
}
