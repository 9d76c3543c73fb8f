import type { EmulatorOptions } from 'postgres-control-emulator';
import type { ControlPlane } from '../../../emulator/src/control-plane/control-plane';
import { createControlPlane } from '../../../emulator/src/control-plane/create-control-plane';
import { Controls } from '../../../emulator/src/controls/controls';
import { resolveOptions } from '../../../emulator/src/options/emulator-options';
import { Clock } from '../../../emulator/src/records/clock';
import { RequestLog } from '../../../emulator/src/requests/request-log';
import { trueTime } from '../time/virtual-time';

/** The emulator's control plane with its controls, in any server. */
export class ServedPlane {
  readonly plane: ControlPlane;
  readonly controls: Controls;
  readonly log = new RequestLog();
  /** How far the read that is served now may lag behind. Milliseconds. */
  longestLagMs = Number.POSITIVE_INFINITY;
  readonly #stopped = new AbortController();

  constructor(options: EmulatorOptions) {
    // Nobody sets the clock of the service.
    const plane = createControlPlane(resolveOptions(options), undefined, undefined, new Clock(trueTime));
    this.plane = plane;
    const { history } = plane;
    const view = history.view.bind(history);
    history.view = (project, lateMs) => view(project, Math.min(lateMs, this.longestLagMs));
    this.controls = new Controls(plane, this.log);
  }

  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(): void {
    this.#stopped.abort();
    this.plane.autosuspend.stop();
    this.plane.runner.stop();
  }
}
