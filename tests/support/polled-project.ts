import { vi } from 'vitest';
import { ControlApiError } from '../../provider/src/control-api/control-api-error';
import { Deadline } from '../../provider/src/control-api/deadline';
import type { CallOptions } from '../../provider/src/control-api/retry';
import { ServiceContact } from '../../provider/src/control-api/service-contact';
import type { OperationSource, Watch } from '../../provider/src/operations/operation-poller';
import { now } from './fake-clock';
import { operationOf } from './operation';

// A project whose operations a poller polls, by a fake clock.

const contact = new ServiceContact();
contact.noteOwn();

export const failure = (status: number, retryAfterMs = 0, isFromService = true) =>
  new ControlApiError({
    method: 'GET',
    path: '/operations',
    status,
    reason: 'busy',
    retryAfterMs,
    isFromService,
    contact,
  });

export const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** A project with an empty newest page by default. Records every request. */
export function sourceOf(change: Partial<OperationSource> = {}) {
  const polls: { at: number; limit: number | undefined }[] = [];
  const asked: string[] = [];
  const options: (CallOptions | undefined)[] = [];
  const source: OperationSource = {
    async listOperations(projectId, page, callOptions) {
      polls.push({ at: now(), limit: page?.limit });
      options.push(callOptions);
      return change.listOperations?.(projectId, page, callOptions) ?? { operations: [] };
    },
    async getOperation(projectId, id, callOptions) {
      asked.push(id);
      options.push(callOptions);
      return change.getOperation?.(projectId, id, callOptions) ?? operationOf({ id });
    },
  };
  return { source, polls, asked, options, pollTimes: () => polls.map(({ at }) => at) };
}

/** Watches one running operation, for 10 s by default, and reports when the watch ended. */
export function watchOf(change: Partial<Watch<string>> = {}): Watch<string> {
  return {
    operations: () => [operationOf()],
    deadline: new Deadline(10_000),
    judge: () => undefined,
    expire: () => `expired at ${now()}`,
    ...change,
  };
}

/** The results of watches within a time in milliseconds. */
export async function endsOf(waits: Promise<string>[], durationMs = 10_000): Promise<string[]> {
  const ends = Promise.all(waits.map((wait) => wait.catch(String)));
  await vi.advanceTimersByTimeAsync(durationMs);
  return ends;
}
