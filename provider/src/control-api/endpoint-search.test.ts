import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { now, useFakeClock } from '../../../tests/support/fake-clock';
import { failure, ListedProject, passing } from '../../../tests/support/listed-project';
import { Deadline } from './deadline';

useFakeClock();

describe('ResourceList.find', () => {
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
    await passing(project.list.find('ep-1', { maxAgeMs: 5_000, after: 5 }), 1_000);
    await passing(project.list.find('ep-1'), 1_000);
    expect(project.sentAt).toEqual([5, 2_005, 3_005]);
  });
});

describe('ResourceList.findPatiently', () => {
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

  it('finds an endpoint that reads show late after a write', async () => {
    const project = new ListedProject();
    project.wroteAt = performance.now();
    const times = askedAt(project, 900);
    const deadline = new Deadline(60_000);
    expect(await passing(project.list.findPatiently('ep-2', 7_000, { deadline }), 20_000)).toEqual(
      endpointOf({ id: 'ep-2' }),
    );
    expect(times).toEqual([5, 1_010]);
    expect(project.askedById.map(([, bound]) => bound)).toEqual([deadline, deadline]);
  });

  it.each([
    ['without a write, by the first read', undefined, [5]],
    ['until the read lag has passed since a write', 0, [5, 1_010, 3_015, 7_005]],
    ['by the first read after that', -8_000, [5]],
  ])('finds nothing: %s', async (_when, wroteAtMs, asked) => {
    const project = new ListedProject();
    if (wroteAtMs !== undefined) project.wroteAt = performance.now() + wroteAtMs;
    const times = askedAt(project);
    expect(await passing(project.list.findPatiently('ep-2', 7_000), 20_000)).toBeUndefined();
    expect(times).toEqual(asked);
  });
});
