import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFault } from './bug-bench';
import { knownFaults } from './known-faults';
import { missingRows } from './missing-rows';
import { patchSource } from './patched-source';

const [easy] = knownFaults.filter(({ name }) => name === 'a failed create leaves nothing in state');
if (!easy) throw new Error('the bug bench has lost its easiest fault');

/** Each bundles the provider and starts a process, which takes long on a busy machine. */
const timeout = 120_000;

it('the bug bench finds a fault', { timeout }, async () => {
  const { schedules, violation } = await findFault(easy, 200);
  expect(violation?.rule).toBe('no id is lost');
  expect(schedules).toBeLessThanOrEqual(200);
});

it('the bug bench refuses a patch that no longer fits the source', { timeout }, async () => {
  await expect(findFault({ ...easy, find: 'a text that no source has' }, 1)).rejects.toThrow(
    'occurs 0 times in provider/src/lifecycle/run.ts, not once',
  );
});

it.for([...knownFaults, ...missingRows])('fits the source: $name', async (fault) => {
  expect(await patchSource(fault)).toContain(fault.replace);
});

it('known-faults.md has a row for each known fault, and no other', () => {
  const page = readFileSync(join(__dirname, 'known-faults.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (.+) \| `(.+)` \|/gm)].map(([, name, file]) => ({ name, file }));
  expect(rows).toEqual(knownFaults.map(({ name, file }) => ({ name, file })));
});

it('each known fault has its own name', () => {
  expect(new Set(knownFaults.map(({ name }) => name)).size).toBe(knownFaults.length);
});
