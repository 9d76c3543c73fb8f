import { range } from 'lodash';
import { expect, it } from 'vitest';
import { readPages } from './pages';

const limit = 3;

/** Reads all pages, and returns the ids. */
async function read(pageAt: (cursor: string) => { ids: readonly number[]; next: string | undefined }) {
  const items = await readPages('/items', limit, async ({ cursor = '0' }) => {
    const { ids, next } = pageAt(cursor);
    return { items: ids.map((id) => ({ id: String(id) })), next };
  });
  return items.map(({ id }) => Number(id));
}

const after = (cursor: string) => String(Number(cursor) + 1);

it.each<[string, (cursor: string) => readonly number[], readonly number[]]>([
  [
    'pages are smaller than asked for',
    (cursor) => range(3).slice(Number(cursor), Number(cursor) + 1),
    range(3),
  ],
  ['a page is empty', (cursor) => (cursor === '0' ? [] : range(2)), range(2)],
  ['ten pages in a row are empty', (cursor) => (Number(cursor) < 10 ? [] : range(3)), []],
])('a list is read to its end when %s', async (_what, idsAt, ids) => {
  expect(await read((cursor) => ({ ids: idsAt(cursor), next: after(cursor) }))).toEqual(ids);
});

it('a list has each item once when the service ignores the cursor', async () => {
  expect(await read(() => ({ ids: [1, 2], next: 'next' }))).toEqual([1, 2]);
});

it('a list whose full pages lead in a circle is an error', async () => {
  const circle = read((cursor) => ({
    ids: range(3).map((id) => Number(`${cursor}${id}`)),
    next: cursor === '2' ? '1' : after(cursor),
  }));
  await expect(circle).rejects.toThrow(
    "the list repeats itself after 9 items, so it can't be read to its end",
  );
});
