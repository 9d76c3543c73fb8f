import { describe, expect, it, vi } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { ControlApi } from './control-api';
import { ControlApiError } from './control-api-error';
import { Deadline } from './deadline';
import { EndpointList } from './endpoint-list';
import type { CallOptions } from './retry';
import type { Endpoint } from './wire-types';

const start = Date.parse('2026-01-01T00:00:00Z');
const now = () => Date.now() - start;

useFakeClock(start);

const failure = (status: number, isFromService = true) =>
  new ControlApiError({
    method: 'GET',
    path: '/projects/p-1/endpoints',
    status,
    reason: 'not found',
    isFromService,
  });

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** A project whose lists show `endpoints` at the time of the response. Records each request. */
class ListedProject extends ControlApi {
  /** When each list was sent. */
  readonly sentAt: number[] = [];
  readonly askedById: [endpointId: string, deadline: Deadline | undefined][] = [];
  endpoints: () => Endpoint[] = () => [endpointOf()];
  byId: (endpointId: string) => Endpoint = () => {
    throw failure(404);
  };
  /** How long a list waits for the rate limiter. Milliseconds. */
  limitMs = 0;
  /** How long the response to a list takes. Milliseconds. */
  tookMs = 0;
  readonly list = new EndpointList(this, 'p-1');

  constructor() {
    super({ baseUrl: 'http://127.0.0.1/api/v2', apiKey: 'key' });
  }

  override async listEndpoints(_projectId: string, { onSend }: CallOptions = {}): Promise<Endpoint[]> {
    if (this.limitMs > 0) await pause(this.limitMs);
    onSend?.();
    this.sentAt.push(now());
    const listed = this.endpoints();
    if (this.tookMs > 0) await pause(this.tookMs);
    return listed;
  }

  override async getEndpoint(_projectId: string, endpointId: string, deadline?: Deadline): Promise<Endpoint> {
    this.askedById.push([endpointId, deadline]);
    return this.byId(endpointId);
  }
}

/** The result of the work, once so much time has passed as it needs. */
async function passing<Result>(work: Promise<Result>, durationMs = 10_000): Promise<Result> {
  // Attached before time passes, so that a rejection is never unhandled.
  work.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(durationMs);
  return work;
}

const idsOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ id }) => id);

describe('EndpointList.fresh', () => {
  it('shares one list among the callers that arrive before it is sent', async () => {
    const project = new ListedProject();
    const first = project.list.fresh();
    await vi.advanceTimersByTimeAsync(4);
    const second = project.list.fresh();
    expect(await passing(Promise.all([first, second]))).toEqual([[endpointOf()], [endpointOf()]]);
    expect(project.sentAt).toEqual([5]);
  });

  it('shares a list while it waits for the rate limiter', async () => {
    const project = new ListedProject();
    project.limitMs = 3_000;
    const first = project.list.fresh();
    await vi.advanceTimersByTimeAsync(2_000);
    const second = project.list.fresh();
    await passing(Promise.all([first, second]));
    expect(project.sentAt).toEqual([3_005]);
  });

  it('never shares a list that was already sent', async () => {
    const project = new ListedProject();
    project.tookMs = 100;
    let listed = [endpointOf()];
    project.endpoints = () => listed;
    const first = project.list.fresh();
    await vi.advanceTimersByTimeAsync(50);
    listed = [endpointOf({ id: 'ep-2' })];
    const second = project.list.fresh();
    const [before, after] = await passing(Promise.all([first, second]));
    expect([idsOf(before), idsOf(after)]).toEqual([['ep-1'], ['ep-2']]);
  });

  it('sends one list at a time', async () => {
    const project = new ListedProject();
    project.tookMs = 2_000;
    void project.list.fresh();
    await vi.advanceTimersByTimeAsync(500);
    await passing(project.list.fresh());
    expect(project.sentAt).toEqual([5, 2_005]);
  });

  it.each([
    [0, 5],
    [3, 5],
    [40, 40],
    [900, 900],
    [30_000, 1_000],
  ])('after a list that took %d ms, gathers callers for %d ms', async (tookMs, gatheredMs) => {
    const project = new ListedProject();
    project.tookMs = tookMs;
    await passing(project.list.fresh(), 60_000);
    const askedAt = now();
    await passing(project.list.fresh(), 60_000);
    expect((project.sentAt[1] ?? 0) - askedAt).toBe(gatheredMs);
  });

  it('lists again after a failed list, whether it was sent or not', async () => {
    const project = new ListedProject();
    project.endpoints = () => {
      throw failure(503);
    };
    await expect(passing(project.list.fresh())).rejects.toThrow('503 Service Unavailable');
    vi.spyOn(project, 'listEndpoints').mockRejectedValueOnce(new Error('not sent before the deadline'));
    await expect(passing(project.list.fresh())).rejects.toThrow('not sent before the deadline');
    project.endpoints = () => [endpointOf()];
    expect(await passing(project.list.fresh())).toEqual([endpointOf()]);
  });
});

describe('EndpointList.recent', () => {
  it('returns the latest list until it is too old, then a fresh one', async () => {
    const project = new ListedProject();
    await passing(project.list.fresh(), 1_000);
    await passing(project.list.recent(2_000), 1_005);
    expect(project.sentAt).toEqual([5]);
    await passing(project.list.recent(2_000));
    expect(project.sentAt).toEqual([5, 2_010]);
  });

  it('lists afresh if the latest list was sent before a write', async () => {
    const project = new ListedProject();
    await passing(project.list.fresh(), 1_000);
    await passing(project.list.recent(60_000, start + 5));
    expect(project.sentAt).toEqual([5, 1_005]);
  });

  it('is empty before the first list', () => {
    expect(new ListedProject().list.latest).toEqual([]);
  });
});

describe('EndpointList.hide', () => {
  const twoOf = () => [endpointOf(), endpointOf({ id: 'ep-2' })];

  it('removes an endpoint from the latest list and from later, lagging ones', async () => {
    const project = new ListedProject();
    project.endpoints = twoOf;
    await passing(project.list.fresh());
    project.list.hide('ep-1');
    expect(idsOf(project.list.latest)).toEqual(['ep-2']);
    expect(idsOf(await passing(project.list.fresh()))).toEqual(['ep-2']);
    expect(idsOf(project.list.latest)).toEqual(['ep-2']);
  });

  it('makes every caller list afresh', async () => {
    const project = new ListedProject();
    await passing(project.list.fresh(), 1_000);
    project.list.hide('ep-2');
    await passing(project.list.recent(60_000));
    expect(project.sentAt).toEqual([5, 1_005]);
  });
});

describe('EndpointList.find', () => {
  it('finds a listed endpoint without a read by id', async () => {
    const project = new ListedProject();
    expect(await passing(project.list.find('ep-1'))).toEqual(endpointOf());
    expect(project.askedById).toEqual([]);
  });

  it('finds an endpoint by id if a list does not show it yet', async () => {
    const project = new ListedProject();
    const deadline = new Deadline(60_000);
    project.byId = (id) => endpointOf({ id });
    expect(await passing(project.list.find('ep-2', { deadline }))).toEqual(endpointOf({ id: 'ep-2' }));
    expect(project.askedById).toEqual([['ep-2', deadline]]);
  });

  it('finds nothing if the service itself returns 404 for the id', async () => {
    const project = new ListedProject();
    expect(await passing(project.list.find('ep-2'))).toBeUndefined();
    expect(project.askedById).toEqual([['ep-2', undefined]]);
  });

  it.each([
    ["a proxy's 404", failure(404, false), '404 Not Found'],
    ['a refusal', failure(403), '403 Forbidden'],
    ['an outage', failure(503), '503 Service Unavailable'],
  ])('does not take %s as proof that the endpoint is gone', async (_what, error, message) => {
    const project = new ListedProject();
    project.byId = () => {
      throw error;
    };
    await expect(passing(project.list.find('ep-2'))).rejects.toThrow(message);
  });

  it('does not take a failed list as proof that the endpoint is gone', async () => {
    const project = new ListedProject();
    project.endpoints = () => {
      throw failure(503);
    };
    await expect(passing(project.list.find('ep-2'))).rejects.toThrow('503 Service Unavailable');
    expect(project.askedById).toEqual([]);
  });

  it('lists afresh unless the caller accepts an older list', async () => {
    const project = new ListedProject();
    await passing(project.list.fresh(), 1_000);
    await passing(project.list.find('ep-1', { maxAgeMs: 5_000 }), 1_000);
    expect(project.sentAt).toEqual([5]);
    await passing(project.list.find('ep-1', { maxAgeMs: 5_000, after: start + 5 }), 1_000);
    await passing(project.list.find('ep-1'), 1_000);
    expect(project.sentAt).toEqual([5, 2_005, 3_005]);
  });

  it('waits for a list until its deadline', async () => {
    const project = new ListedProject();
    project.tookMs = 30_000;
    const found = project.list.find('ep-1', { deadline: new Deadline(2_000) });
    await expect(passing(found, 2_000)).rejects.toThrow(
      'list of the endpoints of project p-1: no response within 2 s',
    );
  });
});

describe('EndpointList.findPatiently', () => {
  /** When the endpoint was asked for by its id. */
  function askedAt(project: ListedProject, shownFromMs = Number.POSITIVE_INFINITY): number[] {
    const times: number[] = [];
    project.byId = (id) => {
      times.push(now());
      if (now() < shownFromMs) throw failure(404);
      return endpointOf({ id });
    };
    return times;
  }

  it('finds an endpoint with the first read that shows it', async () => {
    const project = new ListedProject();
    const found = project.list.findPatiently('ep-1', 10_000);
    expect(await passing(found, 5)).toEqual(endpointOf());
    expect(project.sentAt).toEqual([5]);
  });

  it('finds an endpoint that reads show late', async () => {
    const project = new ListedProject();
    const times = askedAt(project, 900);
    const deadline = new Deadline(60_000);
    expect(await passing(project.list.findPatiently('ep-2', 7_000, { deadline }), 20_000)).toEqual(
      endpointOf({ id: 'ep-2' }),
    );
    expect(times).toEqual([5, 1_010]);
    expect(project.askedById.map(([, bound]) => bound)).toEqual([deadline, deadline]);
  });

  it('finds nothing if no read shows the endpoint within the read lag', async () => {
    const project = new ListedProject();
    const times = askedAt(project);
    expect(await passing(project.list.findPatiently('ep-2', 7_000), 20_000)).toBeUndefined();
    expect(times).toEqual([5, 1_010, 3_015, 7_005]);
  });

  it('fails with the error of a read that proves nothing', async () => {
    const project = new ListedProject();
    project.byId = () => {
      throw failure(404, false);
    };
    await expect(passing(project.list.findPatiently('ep-2', 10_000))).rejects.toEqual(failure(404, false));
  });
});

describe('EndpointList.exists', () => {
  it('is true as soon as a read by id shows the endpoint, without a list', async () => {
    const project = new ListedProject();
    project.byId = (id) => {
      if (now() < 3_000) throw failure(404);
      return endpointOf({ id });
    };
    const deadline = new Deadline(60_000);
    expect(await passing(project.list.exists('ep-1', 10_000, deadline), 20_000)).toBe(true);
    expect(project.askedById).toEqual(Array(3).fill(['ep-1', deadline]));
    expect(project.sentAt).toEqual([]);
  });

  it('is false if lists show the endpoint but no read by id does within the read lag', async () => {
    const project = new ListedProject();
    const exists = project.list.exists('ep-1', 10_000, new Deadline(60_000));
    expect(await passing(exists, 20_000)).toBe(false);
    expect(project.askedById).toHaveLength(4);
  });

  it.each([failure(404, false), failure(503)])(
    'fails with an error that proves nothing: %s',
    async (error) => {
      const project = new ListedProject();
      project.byId = () => {
        throw error;
      };
      await expect(passing(project.list.exists('ep-1', 10_000, new Deadline(60_000)))).rejects.toEqual(error);
    },
  );
});

describe('EndpointList of a missing project', () => {
  const unknown = (isFromService: boolean) => {
    const project = new ListedProject();
    project.endpoints = () => {
      throw failure(404, isFromService);
    };
    return project;
  };

  it('reports the possible causes, that the state is unchanged, and what to do', async () => {
    const error = await passing(unknown(true).list.find('ep-1')).catch((reason: unknown) => reason);
    expect(error).toEqual(
      new Error(
        'GET /projects/p-1/endpoints: 404 Not Found: not found. Either the key or the base URL belongs to another account, or the project was deleted. Nothing was removed from the state. If you deleted the project on purpose, remove its endpoints from the state with `pulumi state delete`.',
      ),
    );
    expect(error).toHaveProperty('cause', failure(404));
  });

  it("does not take a proxy's 404 for a missing project", async () => {
    await expect(passing(unknown(false).list.find('ep-1'))).rejects.toEqual(failure(404, false));
  });
});
