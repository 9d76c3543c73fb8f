import { describe, expect, it } from 'vitest';
import type { Operation } from '../control-api/wire-types';
import { type OperationPages, takeOperations, walkOperationPages } from './operation-pages';

const projectId = 'p-1';

function operationOf(number: number): Operation {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString();
  return {
    id: `op-${number}`,
    project_id: projectId,
    action: number % 10 === 0 ? 'start_compute' : 'apply_config',
    status: 'finished',
    failures_count: 0,
    created_at: time,
    updated_at: time,
  };
}

/** A project with that many operations; each request is preceded by so many new ones. */
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
      const operations = Array.from({ length }, (_, index) => operationOf(first - index));
      return { operations, pagination: { cursor: operations.at(-1)?.id.slice(3) ?? cursor ?? '0' } };
    },
  };
  return { source, requests };
}

const numbersOf = (operations: readonly Operation[]) => operations.map(({ id }) => Number(id.slice(3)));
const from = (first: number, last: number, step = 1) =>
  Array.from({ length: (first - last) / step + 1 }, (_, index) => first - index * step);

describe('a walk', () => {
  it('comes past every operation once, newest first', async () => {
    const { source } = projectOf(1_250);
    const walked: Operation[] = [];
    for await (const page of walkOperationPages(source, { projectId })) walked.push(...page);
    expect(numbersOf(walked)).toEqual(from(1_250, 1));
  });

  it('asks for a page only when it gets there: a small one, then large ones', async () => {
    const { source, requests } = projectOf(1_250);
    for await (const page of walkOperationPages(source, { projectId }))
      if (numbersOf(page).includes(1)) break;
    expect(requests).toEqual([
      { limit: 100 },
      { limit: 1_000, cursor: '1151' },
      { limit: 1_000, cursor: '151' },
    ]);
  });

  it('ends where the service gives no cursor, or nothing new', async () => {
    const page = { operations: [operationOf(2), operationOf(1)] };
    for (const pagination of [undefined, { cursor: 'the same for ever' }]) {
      const source: OperationPages = {
        listOperations: async () => ({ ...page, ...(pagination && { pagination }) }),
      };
      const walked: Operation[] = [];
      for await (const operations of walkOperationPages(source, { projectId })) walked.push(...operations);
      expect(numbersOf(walked)).toEqual([2, 1]);
    }
  });
});

describe('a part', () => {
  it('without a filter asks for no more than the part', async () => {
    const { source, requests } = projectOf(2_000);
    const { operations, cursor } = await takeOperations(source, { projectId }, 150);
    expect(numbersOf(operations)).toEqual(from(2_000, 1_851));
    expect(cursor).toBe('1851');
    expect(requests.map(({ limit }) => limit)).toEqual([100, 50]);
  });

  it('has no cursor when it is all there is', async () => {
    const { source } = projectOf(5);
    expect((await takeOperations(source, { projectId }, 10)).cursor).toBeUndefined();
  });

  it('has no cursor when the service gives none for where it ends', async () => {
    const { source } = projectOf(200);
    const withoutCursors: OperationPages = {
      listOperations: async (...asked) => {
        const { operations } = await source.listOperations(...asked);
        return { operations };
      },
    };
    const query = { projectId, actions: ['start_compute'] };
    const { operations, cursor } = await takeOperations(withoutCursors, query, 2);
    expect(numbersOf(operations)).toEqual([200, 190]);
    expect(cursor).toBeUndefined();
  });

  it('with a filter is followed by the next part, without a gap and without a repetition', async () => {
    const { source } = projectOf(1_000);
    const query = { projectId, actions: ['start_compute'] };
    const first = await takeOperations(source, query, 15);
    const second = await takeOperations(source, { ...query, cursor: first.cursor }, 3);
    expect(numbersOf(first.operations)).toEqual(from(1_000, 860, 10));
    expect(numbersOf(second.operations)).toEqual([850, 840, 830]);
  });

  it('with a filter has the right cursor, also when new operations move the first page on', async () => {
    for (const newBeforeEach of [1, 7, 200]) {
      const { source } = projectOf(1_000 - newBeforeEach, newBeforeEach);
      const query = { projectId, actions: ['start_compute'] };
      const { operations, cursor } = await takeOperations(source, query, 2);
      expect(numbersOf(operations)).toEqual([1_000, 990]);
      expect(cursor).toBe('990');
    }
  });
});
