import type { EmulatorOptions } from 'postgres-control-emulator';
import { deleteBranch } from '../../../emulator/src/control-plane/branches';
import type { ControlPlane } from '../../../emulator/src/control-plane/control-plane';
import { createControlPlane } from '../../../emulator/src/control-plane/create-control-plane';
import { Controls } from '../../../emulator/src/controls/controls';
import { RequestLog } from '../../../emulator/src/http/log-requests';
import { resolveOptions } from '../../../emulator/src/options/emulator-options';
import { ApiError } from '../../../emulator/src/records/api-error';
import { Clock } from '../../../emulator/src/records/clock';
import { trueTime } from '../time/virtual-time';

/** What the service refuses to other people does not happen: a lock, or a delete or a restore under way. */
export function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The emulator's control plane with its controls, in any server. */
export class ServedPlane {
  readonly plane: ControlPlane;
  readonly controls: Controls;
  readonly log = new RequestLog();
  /** How far the read that is served now may lag behind. Milliseconds. */
  longestLagMs = Number.POSITIVE_INFINITY;
  /** When each process has last written. */
  readonly #wroteAt = new Map<object, number>();
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

  get branches() {
    return [...this.plane.store.projects.values()].flatMap(({ branches }) => [...branches.values()]);
  }

  get endpoints() {
    return [...this.plane.store.projects.values()].flatMap(({ endpoints }) => [...endpoints.values()]);
  }

  get operations() {
    return [...this.plane.store.projects.values()].flatMap(({ operations }) => operations);
  }

  /** A request of this process is worked on. Only what the process itself has written may be missing from reads. */
  receive(process: { readonly startedAt: number }, method: string): void {
    const others = [...this.#wroteAt].map(([other, at]) => (other === process ? 0 : at));
    this.longestLagMs = trueTime() - Math.max(process.startedAt, ...others);
    if (method !== 'GET') this.#wroteAt.set(process, trueTime());
  }

  /** Somebody deletes a branch at once, whatever protects or locks it. */
  deleteBranch(projectId: string, branchId: string): void {
    this.controls.changeBranch(projectId, branchId, { protected: false });
    const branch = this.plane.store.branchAt({ project_id: projectId, branch_id: branchId });
    deleteBranch(this.plane, branch, 'none');
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
