import { FaultRegistry } from '../faults/fault-registry';
import { durationOf, type Settings } from '../options/emulator-options';
import { Clock } from '../records/clock';
import { History } from '../records/history';
import { Journal, type Receiver } from '../records/journal';
import type { ProjectRecord } from '../records/records';
import { Store } from '../records/store';
import { Autosuspend } from './autosuspend';
import type { ControlPlane } from './control-plane';
import type { DataPlane } from './data-plane';
import { OperationRunner } from './operation-runner';
import { applyOutcome } from './operation-side-effects';
import { updateEndpointState } from './power-state';

/** @param saving receives every change that must be saved; omit it to keep everything in memory */
export function createControlPlane(
  settings: Settings,
  saving?: Receiver,
  dataPlane?: DataPlane,
  clock = new Clock(),
): ControlPlane {
  const history = new History();
  const journal = new Journal([history, saving, dataPlane].filter((each) => each !== undefined));
  const store = new Store(journal);
  const faults = new FaultRegistry();
  const runner = new OperationRunner({
    clock,
    faults,
    durationMs: (action) => durationOf(settings.operationMs, action),
    schedulingMs: settings.schedulingMs,
    work: (project, step) => dataPlane?.work(project, step),
    onChange: (operation) => journal.noteOperation(operation),
    onProgress: (operation) => {
      if (operation.progress === 'ended') applyOutcome(plane, operation);
      const endpoint = updateEndpointState(plane, operation);
      if (endpoint === undefined) return;
      journal.noteEndpoint(endpoint);
      if (operation.progress === 'ended' && operation.step.movesTo === 'active')
        autosuspend.noteActivity(endpoint);
      autosuspend.arm(endpoint);
    },
  });
  const autosuspend = new Autosuspend(runner, settings.autosuspendSecondMs, dataPlane);
  const plane: ControlPlane = {
    settings,
    clock,
    journal,
    history,
    store,
    faults,
    runner,
    autosuspend,
    dataPlane,
  };
  return plane;
}

/**
 * Resumes the projects of an earlier process. Unfinished operations run again from the beginning, because the progress of
 * a killed process is unknown. Autosuspend delays restart.
 */
export function resumeProjects(plane: ControlPlane, projects: readonly ProjectRecord[]): void {
  for (const project of projects) {
    if (plane.dataPlane) project.wire.pg_version = plane.dataPlane.version;
    plane.store.projects.set(project.wire.id, project);
    plane.history.startWith(project);
    plane.clock.startAfter(latestChange(project));
  }
  for (const project of projects) {
    plane.runner.resume(project);
    for (const endpoint of project.endpoints.values()) plane.autosuspend.arm(endpoint);
  }
}

function latestChange({ wire, branches, endpoints, operations }: ProjectRecord): string {
  const parts = [...branches.values(), ...endpoints.values(), ...operations];
  const times = parts.map((part) => part.wire.updated_at);
  return times.reduce((latest, time) => (time > latest ? time : latest), wire.updated_at);
}
