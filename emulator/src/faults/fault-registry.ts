import { randomUUID } from 'node:crypto';
import type { Operation } from '../records/wire-types';
import {
  type Fault,
  type InjectedFault,
  isRequestFault,
  type OperationMatch,
  type RequestEffect,
  type RequestMatch,
} from './faults';

class ActiveFault implements InjectedFault {
  readonly id = randomUUID();
  hits = 0;
  readonly fault: Fault;
  /** The operations that wait for its end. */
  readonly held: (() => void)[] = [];
  readonly #remove: (self: ActiveFault) => void;

  constructor(fault: Fault, remove: (self: ActiveFault) => void) {
    this.fault = fault;
    this.#remove = remove;
  }

  get isUsedUp(): boolean {
    const times = this.fault.times ?? 1;
    return times !== 'always' && this.hits >= times;
  }

  clear(): void {
    this.#remove(this);
    for (const release of this.held.splice(0)) release();
  }
}

/** The injected faults. The oldest one that matches a request or operation, and is not used up, applies to it. */
export class FaultRegistry {
  readonly #faults = new Set<ActiveFault>();

  inject(fault: Fault): InjectedFault {
    const active = new ActiveFault(fault, (self) => this.#faults.delete(self));
    this.#faults.add(active);
    return active;
  }

  list(): InjectedFault[] {
    return [...this.#faults];
  }

  /** @param path after the version segment, without the query */
  takeForRequest(method: string, path: string, canBeLate: boolean): RequestEffect | undefined {
    for (const active of this.#faults) {
      const { fault } = active;
      if (active.isUsedUp || !isRequestFault(fault) || !matchesRequest(fault.match, method, path)) continue;
      if (fault.effect.kind === 'late-read' && !canBeLate) continue;
      active.hits += 1;
      return fault.effect;
    }
    return undefined;
  }

  takeForOperation(operation: Operation) {
    for (const active of this.#faults) {
      const { fault } = active;
      if (active.isUsedUp || isRequestFault(fault) || !matchesOperation(fault.match, operation)) continue;
      active.hits += 1;
      return { effect: fault.effect, hold: (release: () => void) => void active.held.push(release) };
    }
    return undefined;
  }
}

/** `parseFault` allows patterns that do not backtrack: at most one `**`, and each `:x` is a whole segment. */
export function toRegExp(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*|:\w+)/).map((part) => {
    if (part === '**') return '.*';
    return /^:\w+$/.test(part) ? '[^/]+' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su');
}

function matchesRequest(match: RequestMatch, method: string, path: string): boolean {
  return (
    (match.method === undefined || match.method.toUpperCase() === method) &&
    (match.path === undefined || toRegExp(match.path).test(path))
  );
}

function matchesOperation(match: OperationMatch, operation: Operation): boolean {
  return (
    (match.action === undefined || match.action === operation.action) &&
    (match.endpointId === undefined || match.endpointId === operation.endpoint_id) &&
    (match.projectId === undefined || match.projectId === operation.project_id)
  );
}
