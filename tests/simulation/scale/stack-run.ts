import { times } from 'lodash';
import { ControlApiError } from '../../../provider/src/control-api/control-api-error';
import { Deadline, pause } from '../../../provider/src/control-api/deadline';
import { RateLimiter } from '../../../provider/src/control-api/rate-limiter';
import { ResourceList } from '../../../provider/src/control-api/resource-list';
import {
  type CallOptions,
  defaultPatience,
  defaultRetryPacing,
  retryDelayMs,
} from '../../../provider/src/control-api/retry';
import type { Endpoint } from '../../../provider/src/control-api/wire-types';
import { OperationPoller } from '../../../provider/src/operations/operation-poller';
import { WriteQueue } from '../../../provider/src/operations/write-queue';
import type { Account, Reply } from './account';

/** What the CLI and the program take without any service, by the benchmarks. Milliseconds. */
const engineMs = { start: 2_500, refreshed: 5, updated: 20 };
/** One way between the runner and the service. Milliseconds. */
const travelMs = 50;
/** The default time-out of an update. Milliseconds. */
const updateMs = 600_000;

/** One run of Pulumi on a stack whose endpoints are in one project: a process with the provider's limiter, queue and poller. */
export class StackRun {
  readonly #account: Account;
  readonly #projectId: string;
  readonly #limiter: RateLimiter;
  readonly #queue: WriteQueue;
  readonly #poller: OperationPoller;
  readonly #endpoints: ResourceList<Endpoint>;

  constructor(account: Account, projectId: string, requestsPerMinute: number) {
    this.#account = account;
    this.#projectId = projectId;
    this.#limiter = new RateLimiter({ perMinute: requestsPerMinute, perSecondOnRoute: 40 });
    this.#poller = new OperationPoller(
      {
        listOperations: async (_projectId, { limit = 50 } = {}, options = {}) => {
          const reply = await this.#call('GET operations', options, () =>
            account.listOperations(projectId, limit),
          );
          return { operations: [...(reply.operations ?? [])] };
        },
        getOperation: async (_projectId, id, options = {}) => {
          const reply = await this.#call('GET operation', options, () => account.getOperation(projectId, id));
          const [operation] = reply.operations ?? [];
          if (!operation) throw new Error(`there is no operation ${id}`);
          return operation;
        },
      },
      projectId,
    );
    this.#queue = new WriteQueue(this.#poller);
    this.#endpoints = new ResourceList<Endpoint>({
      projectId,
      plural: 'endpoints',
      list: async (options) => {
        await this.#call('GET endpoints', options, () => account.listEndpoints());
        return [];
      },
      get: () => Promise.reject(new Error('no endpoint is read by its id')),
      latestWriteAt: () => this.#queue.latestAt,
      signal: undefined,
    });
  }

  /** `pulumi refresh`. */
  async refresh(count: number): Promise<void> {
    await pause(engineMs.start + count * engineMs.refreshed);
    await this.#endpoints.fresh();
  }

  /** `pulumi up` that changes the size of every endpoint. */
  async rollOut(count: number): Promise<void> {
    await pause(engineMs.start + count * engineMs.updated);
    await Promise.all(times(count, () => this.#update()));
  }

  async #update(): Promise<void> {
    const deadline = new Deadline(updateMs, 'later');
    const { operations = [] } = await this.#queue.run({
      deadline,
      write: () => this.#call('PATCH endpoints', { deadline }, () => this.#account.update(this.#projectId)),
      startedBy: (reply) => reply.operations ?? [],
    });
    const hasFinished = await this.#poller.watch<boolean>({
      operations: () => operations,
      deadline,
      judge: (view) =>
        operations.every(({ id }) => view.find(id)?.status === 'finished') ? true : undefined,
      expire: () => false,
    });
    if (!hasFinished) throw new Error('timed out');
    // The update ends with a read of the endpoint; one list serves all that wait for it.
    await this.#endpoints.fresh();
  }

  /** As the HTTP client does: within the limits, and again after a 429. */
  async #call(route: string, options: CallOptions, handle: () => Reply): Promise<Reply> {
    const { deadline = new Deadline(defaultPatience.totalMs, 'later'), isSentOnce } = options;
    const [method = '', path = ''] = route.split(' ');
    for (let attempt = 1; ; attempt += 1) {
      const limited = {
        route,
        deadline: deadline.hasBegun ? deadline : options.deadline,
        longestPauseMs: options.deadline ? undefined : defaultPatience.faultsMs,
      };
      const reply = await this.#limiter.send(limited, async () => {
        options.onSend?.();
        if (!options.deadline) deadline.begin();
        await pause(travelMs);
        const answer = handle();
        await pause(travelMs);
        if (answer.status === 429) this.#limiter.backOff(answer.retryAfterMs ?? 0);
        return answer;
      });
      const { status, retryAfterMs = 0 } = reply;
      if (status === 200) return reply;
      const delayMs = retryDelayMs(attempt, retryAfterMs, defaultRetryPacing);
      if (status === 423 || isSentOnce || deadline.remainingMs <= delayMs)
        throw new ControlApiError({ method, path, status, retryAfterMs, reason: 'refused' });
      await deadline.pause(delayMs);
    }
  }
}
