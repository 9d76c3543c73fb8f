import type { Computes } from '../gateway/computes';
import { ConnectionRefusal } from '../gateway/connection-refusal';
import type { ScramVerifier } from '../gateway/scram';
import { ApiError } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';
import type { BranchData } from './branch-data';
import type { PostgresDataPlane } from './postgres-data-plane';
import { Verifiers } from './verifiers';

/** The computes as the gateway's clients reach them: what goes wrong is a Postgres error. */
export class ServedComputes implements Computes {
  readonly #plane: PostgresDataPlane;
  readonly #verifiers: Verifiers;

  constructor(plane: PostgresDataPlane, data: BranchData) {
    this.#plane = plane;
    this.#verifiers = new Verifiers(data);
  }

  hasHosts(domain: string): boolean {
    return this.#plane.hasHosts(domain);
  }

  verifier(endpointId: string, role: string): Promise<ScramVerifier> {
    return this.#refusing(endpointId, async () => this.#verifiers.of(this.#plane.branchOf(endpointId), role));
  }

  reach(endpointId: string, signal: AbortSignal): Promise<string> {
    return this.#refusing(endpointId, () => this.#plane.reach(endpointId, signal), signal);
  }

  attach(endpointId: string, cut: () => void): { traffic(): void; close(): void } {
    return this.#plane.attach(endpointId, cut);
  }

  async #refusing<Result>(
    endpointId: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConnectionRefusal || signal?.aborted) throw error;
      if (error instanceof ApiError) throw new ConnectionRefusal('08004', error.message);
      throw new ConnectionRefusal('XX000', `endpoint ${endpointId}: ${reasonOf(error)}`);
    }
  }
}
