import { describe, expect, it, vi } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { now, useFakeClock } from '../../../tests/support/fake-clock';
import { failure, ListedProject, passing } from '../../../tests/support/listed-project';
import { pause } from './deadline';
import type { Endpoint } from './wire-types';

useFakeClock();

const idsOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ id }) => id);

describe('ResourceList.fresh', () => {
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

  it('fails with the list before it, which has had patience already', async () => {
    const project = new ListedProject();
    const list = vi.spyOn(project, 'listEndpoints').mockImplementation(async (_id, { onSend } = {}) => {
      onSend?.();
      await pause(90_000);
      throw failure(503);
    });
    const first = project.list.fresh();
    await vi.advanceTimersByTimeAsync(50);
    const lists = Promise.allSettled([first, project.list.fresh()]);
    expect((await passing(lists, 90_000)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(list).toHaveBeenCalledTimes(1);
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

describe('ResourceList.recent', () => {
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
    await passing(project.list.recent(60_000, 5));
    expect(project.sentAt).toEqual([5, 1_005]);
  });
});

describe('ResourceList.hide', () => {
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

describe('EndpointList of a missing project', () => {
  const unknown = (isFromService: boolean, lacksVersion = false) => {
    const project = new ListedProject();
    project.endpoints = () => {
      throw failure(404, isFromService, lacksVersion);
    };
    return project;
  };

  it('reports possible causes, the unchanged state, and what to do', async () => {
    const error = await passing(unknown(true).list.find('ep-1')).catch((reason: unknown) => reason);
    expect(error).toEqual(
      new Error(
        'GET /projects/p-1/endpoints: 404 Not Found: not found. Either the key or the base URL belongs to another account, or this is not the id of a project (a name, for example), or the project was deleted. Nothing was removed from the state. If you deleted the project on purpose, remove its resources from the state with `pulumi state delete`.',
      ),
    );
    expect(error).toHaveProperty('cause', failure(404));
  });

  it('guesses no other cause if the base URL lacks the version', async () => {
    const error = passing(unknown(true, true).list.find('ep-1'));
    await expect(error).rejects.toThrow(/: not found\. Nothing was removed from the state\.$/);
  });
});
