import { RateLimiter as ServiceLimiter } from '../../../emulator/src/http/rate-limiter';
import type { Operation } from '../../../provider/src/control-api/wire-types';

export interface AccountOptions {
  /** 0 means no limit. */
  readonly requestsPerMinute: number;
  readonly operationMs: number;
  /** Whether an unfinished operation locks its project. */
  readonly locks: boolean;
}

/** A response: the status, and what the client needs of the rest. */
export interface Reply {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly operations?: readonly Operation[];
}

/** The account of the fleet at the service: its rate limit, and the operations of its projects, without any JSON. */
export class Account {
  readonly #options: AccountOptions;
  readonly #limiter: ServiceLimiter;
  /** The operations of each project, newest first. */
  readonly #operations = new Map<string, Operation[]>();
  #made = 0;
  readonly counts = { requests: 0, refused: 0, locked: 0 };

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#limiter = new ServiceLimiter(options.requestsPerMinute);
  }

  /** A change of size of one endpoint. */
  update(projectId: string): Reply {
    return this.#limited(() => {
      const operations = this.#of(projectId);
      if (this.#options.locks && operations[0]?.status === 'running') {
        this.counts.locked += 1;
        return { status: 423 };
      }
      const operation = this.#start(projectId);
      operations.unshift(operation);
      return { status: 200, operations: [{ ...operation }] };
    });
  }

  listOperations(projectId: string, limit: number): Reply {
    return this.#limited(() => {
      const newest = this.#of(projectId).slice(0, limit);
      return { status: 200, operations: newest.map((operation) => ({ ...operation })) };
    });
  }

  getOperation(projectId: string, id: string): Reply {
    return this.#limited(() => {
      const operations = this.#of(projectId).filter((operation) => operation.id === id);
      return { status: 200, operations: operations.map((operation) => ({ ...operation })) };
    });
  }

  listEndpoints(): Reply {
    return this.#limited(() => ({ status: 200 }));
  }

  #limited(handle: () => Reply): Reply {
    this.counts.requests += 1;
    const waitSeconds = this.#limiter.take();
    if (waitSeconds === 0) return handle();
    this.counts.refused += 1;
    return { status: 429, retryAfterMs: waitSeconds * 1_000 };
  }

  #start(projectId: string): Operation {
    const now = new Date().toISOString();
    const operation: Operation = {
      id: `op-${this.#made++}`,
      project_id: projectId,
      action: 'apply_config',
      status: 'running',
      failures_count: 0,
      created_at: now,
      updated_at: now,
      total_duration_ms: 0,
    };
    setTimeout(() => {
      const { operationMs } = this.#options;
      Object.assign(operation, { status: 'finished', total_duration_ms: operationMs });
      operation.updated_at = new Date().toISOString();
    }, this.#options.operationMs);
    return operation;
  }

  #of(projectId: string): Operation[] {
    const known = this.#operations.get(projectId) ?? [];
    this.#operations.set(projectId, known);
    return known;
  }
}
