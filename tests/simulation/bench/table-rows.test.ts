import { expect, it } from 'vitest';
import { withoutEachRow } from './table-rows';

const source = `
/** The order is the meaning. */
export const table: readonly Row[] = [
  { step: 'wait', when: (situation) => situation.isOpen },
  // Last but one.
  { step: 'send', when: ({ due }) => due.length > 0 },
  rows.rename,
  { step: 'done', when: () => true },
];
`;

it('a table yields one fault for each row but the last, which always fits', () => {
  const faults = withoutEachRow('table.ts', source);
  expect(faults.map(({ name }) => name)).toEqual(['without wait', 'without send', 'without rows.rename']);
});

it('the fault of a row leaves out that row, and keeps the order', () => {
  const [, send] = withoutEachRow('table.ts', source);
  const patched = source.replace(send?.find ?? '', send?.replace ?? '');
  expect(patched).toMatch(/\[\{ step: 'wait'[\s\S]+rows\.rename,\s+\{ step: 'done'/);
  expect(patched).not.toContain('send');
});

it('a source without a table is refused', () => {
  expect(() => withoutEachRow('rows.ts', 'export const rows = [];')).toThrow(
    'provider/src/rows.ts has no array that is exported as "table"',
  );
});
