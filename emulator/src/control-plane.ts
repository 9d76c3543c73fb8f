import { Autosuspend } from './autosuspend';
import { Clock } from './clock';
import { settleEndpoint } from './endpoint-state';
import { FaultRegistry } from './fault-registry';
import { OperationRunner } from './operation-runner';
import { durationOf, type Settings } from './options';
import { Store } from './store';

/** Everything that the routes and the control methods act on. */
export interface ControlPlane {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: FaultRegistry;
  readonly runner: OperationRunner;
  readonly autosuspend: Autosuspend;
}

export function createControlPlane(settings: Settings): ControlPlane {
  const clock = new Clock();
  const store = new Store();
  const faults = new FaultRegistry();
  const runner = new OperationRunner({
    clock,
    faults,
    durationMs: (action) => durationOf(settings.operationMs, action),
    schedulingMs: settings.schedulingMs,
    onProgress: (project, operation) => {
      const endpoint = settleEndpoint(project, operation, clock);
      if (endpoint === undefined) return;
      if (operation.progress === 'ended' && operation.step.movesTo === 'active')
        autosuspend.noteActivity(endpoint);
      autosuspend.arm(project, endpoint);
    },
  });
  const autosuspend = new Autosuspend(runner, settings.autosuspendSecondMs);
  return { settings, clock, store, faults, runner, autosuspend };
}
