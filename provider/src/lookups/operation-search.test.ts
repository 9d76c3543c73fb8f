import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { Deadline } from '../control-api/deadline';
import type { Operation, OperationsPage } from '../control-api/wire-types';
import { listOperationsSince, type OperationPages } from '../operations/operation-pages';
import { takeOperations, walkOperationPages } from './operation-search';

const projectId = 'p-1';
const epoch = Date.UTC(2026, 0, 1);

/** Operation op-NUMBER, created NUMBER seconds after the start of 2026. */
function numbered(number: number): Operation {
  const time = new Date(epoch + number * 1_000).toISOString();
  return operationOf({
    id: `op-${number}`,
    action: number % 10 === 0 ? 'start_compute' : 'apply_config',
    status: 'finished',
    created_at: time,
    updated_at: time,
  });
}

/** A project with `count` operations, and `newBeforeEach` new ones before each request. */
function projectOf(count: number, newBeforeEach = 0) {
  let newest = count;
  const requests: { limit: number; cursor?: string }[] = [];
  const source: OperationPages = {
    async listOperations(_projectId, { limit = 100, cursor } = {}) {
      requests.push({ limit, ...(cursor !== undefined && { cursor }) });
      newest += newBeforeEach;
      // The cursor is the number of the last operation of the page before.
      const first = cursor === undefined ? newest : Number(cursor) - 1;
      const length = Math.max(0, Math.min(limit, first));
      const operations = Array.from({ length }, (_, index) => numbered(first - index));
      return { operations, pagination: { cursor: operations.at(-1)?.id.slice(3) ?? cursor ?? '0' } };
    },
  };
  return { source, requests };
}

/** A project whose pages come from `pageAt`. */
function pagedBy(pageAt: (cursor: string | undefined) => OperationsPage) {
  const cursors: (string | undefined)[] = [];
  const source: OperationPages = {
    async listOperations(_projectId, { cursor } = {}) {
      cursors.push(cursor);
      if (cursors.length > 2_000) throw new Error('The walk has no end.');
      return pageAt(cursor);
    },
  };
  return { source, cursors };
}

async function walk(source: OperationPages): Promise<number[]> {
  const walked: Operation[] = [];
  for await (const page of walkOperationPages(source, { projectId })) walked.push(...page);
  return numbersOf(walked);
}

const numbersOf = (operations: readonly Operation[]) => operations.map(({ id }) => Number(id.slice(3)));
const from = (first: number, last: number, step = 1) =>
  Array.from({ length: (first - last) / step + 1 }, (_, index) => first - index * step);

describe('walkOperationPages', () => {
  it('yields every operation once, newest first', async () => {
    expect(await walk(projectOf(1_250).source)).toEqual(from(1_250, 1));
  });

  it('yields an operation once that a page shows twice', async () => {
    const page = { operations: [numbered(2), numbered(1), numbered(2), numbered(1)] };
    expect(await walk(pagedBy(() => page).source)).toEqual([2, 1]);
  });

  it('requests a page only when it is needed: a small one, then large ones', async () => {
    const { source, requests } = projectOf(1_250);
    for await (const page of walkOperationPages(source, { projectId }))
      if (numbersOf(page).includes(1)) break;
    expect(requests).toEqual([
      { limit: 100 },
      { limit: 1_000, cursor: '1151' },
      { limit: 1_000, cursor: '151' },
    ]);
  });

  it.each([undefined, { cursor: 'always the same' }])(
    'stops after a page without a new operation (pagination %j)',
    async (pagination) => {
      const page = { operations: [numbered(2), numbered(1)], ...(pagination && { pagination }) };
      expect(await walk(pagedBy(() => page).source)).toEqual([2, 1]);
    },
  );

  it('continues after an empty page, and ends after ten in a row', async () => {
    const full = { operations: [numbered(1)] };
    const emptyUntil = (end: number) =>
      pagedBy((cursor) =>
        Number(cursor ?? '0') === end
          ? full
          : { operations: [], pagination: { cursor: String(Number(cursor ?? '0') + 1) } },
      ).source;
    expect(await walk(emptyUntil(9))).toEqual([1]);
    expect(await walk(emptyUntil(10))).toEqual([]);
  });

  it('stops where a cursor leads back to an earlier page', async () => {
    const pages = new Map([
      [undefined, { operations: [numbered(3)], pagination: { cursor: 'a' } }],
      ['a', { operations: [numbered(2)], pagination: { cursor: 'b' } }],
      ['b', { operations: [numbered(1)], pagination: { cursor: 'a' } }],
    ]);
    const { source, cursors } = pagedBy((cursor) => pages.get(cursor) ?? { operations: [] });
    expect(await walk(source)).toEqual([3, 2, 1]);
    expect(cursors).toEqual([undefined, 'a', 'b']);
  });

  it('fails after a thousand pages', async () => {
    const { source, cursors } = pagedBy((cursor) => {
      const page = Number(cursor ?? '0');
      return { operations: [numbered(page)], pagination: { cursor: String(page + 1) } };
    });
    await expect(walk(source)).rejects.toThrow(
      'GET /projects/p-1/operations: the list does not end: page 1000 still has a cursor to the next.',
    );
    expect(cursors).toHaveLength(1_000);
  });
});

describe('takeOperations', () => {
  it('requests no more than the limit if there is no filter', async () => {
    const { source, requests } = projectOf(2_000);
    const { operations, cursor } = await takeOperations(source, { projectId }, 150);
    expect(numbersOf(operations)).toEqual(from(2_000, 1_851));
    expect(cursor).toBe('1851');
    expect(requests.map(({ limit }) => limit)).toEqual([100, 50]);
  });

  it('returns no cursor if the service returns none', async () => {
    const { source } = projectOf(200);
    const withoutCursors: OperationPages = {
      listOperations: async (...args) => {
        const { operations } = await source.listOperations(...args);
        return { operations };
      },
    };
    const query = { projectId, actions: ['start_compute'] };
    const { operations, cursor } = await takeOperations(withoutCursors, query, 2);
    expect(numbersOf(operations)).toEqual([200, 190]);
    expect(cursor).toBeUndefined();
  });

  it('returns a cursor that continues a filtered list without a gap', async () => {
    const { source } = projectOf(1_000);
    const query = { projectId, actions: ['start_compute'] };
    const first = await takeOperations(source, query, 15);
    const second = await takeOperations(source, { ...query, cursor: first.cursor }, 3);
    expect(numbersOf(first.operations)).toEqual(from(1_000, 860, 10));
    expect(numbersOf(second.operations)).toEqual([850, 840, 830]);
  });

  it.each([1, 7, 200])(
    'returns the right cursor while %d operations arrive per request',
    async (newBeforeEach) => {
      const { source } = projectOf(1_000 - newBeforeEach, newBeforeEach);
      const query = { projectId, actions: ['start_compute'] };
      const { operations, cursor } = await takeOperations(source, query, 2);
      expect(numbersOf(operations)).toEqual([1_000, 990]);
      expect(cursor).toBe('990');
    },
  );
});

describe('listOperationsSince', () => {
  const daySeconds = 24 * 60 * 60;

  it('reads until a page holds an older operation', async () => {
    const { source, requests } = projectOf(5_000);
    const found = await listOperationsSince(source, projectId, () => epoch + 2_500_000);
    expect(numbersOf(found)).toEqual(from(5_000, 2_001));
    expect(requests).toHaveLength(3);
  });

  it('reads back at most a day from the newest operation', async () => {
    const { source } = projectOf(daySeconds + 5_000);
    const found = await listOperationsSince(source, projectId, () => 0);
    const oldest = numbersOf(found).at(-1) ?? 0;
    expect(oldest).toBeLessThan(5_000);
    expect(oldest).toBeGreaterThan(5_000 - 1_001);
  });

  it('bounds each request by its deadline', async () => {
    const deadlines: unknown[] = [];
    const { source } = projectOf(2_500);
    const bounded: OperationPages = {
      listOperations: (id, page, options) => {
        deadlines.push(options?.deadline);
        return source.listOperations(id, page, options);
      },
    };
    const deadline = new Deadline(60_000);
    await listOperationsSince(bounded, projectId, () => 0, deadline);
    expect(deadlines).toHaveLength(4);
    for (const each of deadlines) expect(each).toBe(deadline);
  });
});
