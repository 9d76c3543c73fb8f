import type { SimulatedRun } from '../engine/simulated-run';
import { isBranchUrn, type Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import type { Ground } from '../user/ground';
import type { RuleBook } from './rule-book';

/** An id of the programs that the service has returned to a run in response to a write. */
interface Told {
  readonly id: string;
  readonly slot: number;
  readonly isBranch: boolean;
}

/** Once the service has returned an id, every way out keeps it in state. */
export class IdRules {
  readonly #ground: Ground;
  readonly #book: RuleBook;
  readonly #told = new Map<SimulatedRun, Told[]>();

  constructor(ground: Ground, book: RuleBook) {
    this.#ground = ground;
    this.#book = book;
  }

  /** A response reaches the process that waits for it. */
  delivered(run: SimulatedRun, { method }: SentRequest, served: Served): void {
    if (!['POST', 'PATCH'].includes(method) || served.kind !== 'whole' || served.status >= 300) return;
    const { endpoint, branch } = readChanged(served.body);
    const id = endpoint?.id ?? branch?.id;
    const slot = endpoint ? this.#ground.slotOf(endpoint) : branch && this.#ground.branches.slotOf(branch.id);
    if (id === undefined || slot === undefined) return;
    const told = { id, slot, isBranch: !endpoint };
    this.#told.set(run, [...(this.#told.get(run) ?? []), told]);
  }

  /** A create has ended, and the state is written. What a host knew that has died is lost with it. */
  createEnded(run: SimulatedRun, { state }: Stack, urn: string, slot: number): void {
    if (!run.isHostAlive) return;
    for (const told of this.#told.get(run) ?? []) {
      if (told.slot !== slot || told.isBranch !== isBranchUrn(urn)) continue;
      const isKept = state.resources.some(({ id }) => id === told.id) || !this.#ground.remains(told.id);
      this.#book.check(
        'no id is lost',
        isKept,
        () => `${run.name} lost the id ${told.id}: the service has it, the state does not`,
      );
    }
  }

  /** A refresh has removed it from the state. */
  forgotten(run: SimulatedRun, id: string): void {
    this.#book.check(
      'no id is lost',
      !this.#ground.remains(id),
      () => `${run.name} removed ${id}, which the service still has`,
    );
  }
}

interface Changed {
  readonly endpoint?: { readonly id: string; readonly branch_id: string };
  readonly branch?: { readonly id: string };
}

function readChanged(body: string): Changed {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    // An injected fault cut the response short: it tells nothing.
    return {};
  }
}
