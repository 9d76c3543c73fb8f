import type { Branch } from 'postgres-control-emulator';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import type { Ground } from '../user/ground';
import type { Rule } from './rules';

/** The invariants of branches that hold at every step. */
export class BranchWatch {
  /** Whether a run has a reason to delete a branch of the programs. */
  mayDelete: (run: SimulatedRun, branch: Branch) => boolean = () => true;
  /** Whether nothing goes wrong in this round. */
  isUndisturbed = false;
  readonly #ground: Ground;
  readonly #violate: (rule: Rule, what: string) => void;
  /** The branches that the service has returned to each run in response to a write. */
  readonly #told = new Map<SimulatedRun, { readonly id: string; readonly slot: number }[]>();

  constructor(ground: Ground, violate: (rule: Rule, what: string) => void) {
    this.#ground = ground;
    this.#violate = violate;
  }

  /** A write is about to have its effect. */
  arrives(run: SimulatedRun, { method, path, body }: SentRequest): void {
    const [, id] = /\/branches\/([^/?]+)/.exec(path) ?? [];
    if (id === undefined || method === 'GET') return;
    const { branches } = this.#ground;
    const branch = branches.find(id);
    // A request to a branch that does not exist has no effect.
    if (!branch) return;
    if (branches.slotOf(id) === undefined)
      this.#violate(
        'branches of other clients are untouched',
        `${run.name} sent ${method} ${path}, to a branch of another client`,
      );
    if (method === 'DELETE' && !this.mayDelete(run, branch))
      this.#violate('a branch in use is not deleted', `${run.name} deletes ${id}, which it must keep`);
    if (method === 'PATCH' && this.isUndisturbed) this.#findUnchanged(run, branch, body);
  }

  #findUnchanged(run: SimulatedRun, branch: Branch, body = '{}'): void {
    const { branch: sent } = JSON.parse(body) as { branch: Readonly<Record<string, unknown>> };
    for (const [name, value] of Object.entries(sent))
      if (branch[name as keyof Branch] === value)
        this.#violate('only changes are sent', `${run.name} sent ${branch.id} the same ${name} as before`);
  }

  /** A response reaches the process that waits for it. */
  delivered(run: SimulatedRun, { method, path }: SentRequest, served: Served): void {
    if (!path.includes('/branches') || !['POST', 'PATCH'].includes(method)) return;
    if (served.kind !== 'whole' || served.status >= 300) return;
    const id = readBranchId(served.body);
    const slot = id && this.#ground.branches.slotOf(id);
    if (id === undefined || typeof slot !== 'number') return;
    this.#told.set(run, [...(this.#told.get(run) ?? []), { id, slot }]);
  }

  /** A create has ended, and the state is written. */
  createEnded(run: SimulatedRun, { state }: Stack, slot: number): void {
    if (!run.isHostAlive) return;
    for (const told of this.#told.get(run) ?? []) {
      if (told.slot !== slot || state.resources.some(({ id }) => id === told.id)) continue;
      if (this.#ground.branches.find(told.id))
        this.#violate(
          'no id is lost',
          `${run.name} lost the id ${told.id}: the service has the branch, the state does not`,
        );
    }
  }

  /** A refresh has removed a branch from the state. */
  forgotten(run: SimulatedRun, id: string): void {
    if (this.#ground.branches.find(id) && !this.#ground.branches.isDeleting(id))
      this.#violate('no id is lost', `${run.name} removed ${id}, which the service still has`);
  }
}

function readBranchId(body: string): string | undefined {
  try {
    return JSON.parse(body).branch?.id;
  } catch {
    // An injected fault cut the response short: it tells nothing.
    return undefined;
  }
}
