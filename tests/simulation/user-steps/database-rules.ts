import { isMatch } from 'lodash';
import type { Database } from '../../../emulator/src/records/wire-types';
import { declares } from './loss-rules';
import type { RunRecord } from './run-record';
import type { UserRun, UserWorld } from './user-world';

/**
 * Checks, when nothing is under way any more, that the user has read of every database that is gone from a branch. What goes with its
 * branch was judged with that.
 */
export function checkDatabases(world: UserWorld, { run, isSuccess }: UserRun): void {
  const record = world.watch.record(run);
  const { branches, databases } = world.held();
  const { replace = [], faults = [] } = record.step;
  // A branch that can't be replaced keeps what was to go with it.
  const isRefused = replace.length > 0 && faults.length === 0 && !isSuccess && !run.isCutOff;
  for (const lost of record.held.databases) {
    if (!branches.some(({ id }) => id === lost.branch_id)) continue;
    const isLeft = databases.some(({ id }) => id === lost.id);
    const isForetold = isLossForetold(record, lost) && !isRefused;
    world.book.check(
      'nothing is deleted unnamed',
      isLeft || isDropped(record, lost) || isForetold,
      () => `${run.name}: database ${lost.name} (${lost.id}) of ${lost.branch_id}`,
    );
  }
}

function findStored({ state }: RunRecord, { id, name, branch_id }: Database) {
  return (
    state.find(({ outputs }) => outputs.values.__number === id) ??
    state.find(({ outputs: { values } }) => isMatch(values, { branchId: branch_id, name }))
  );
}

/** Whether the program no longer declares it. */
function isDropped(record: RunRecord, lost: Database): boolean {
  const stored = findStored(record, lost);
  return stored !== undefined && record.steps.has(`delete ${stored.urn}`) && !declares(record, stored.urn);
}

/** Whether the preview has said that it goes: by itself, or with the data of its branch. */
function isLossForetold(record: RunRecord, lost: Database): boolean {
  const stored = findStored(record, lost);
  return record.foretold.some(({ urn, text }) =>
    urn === stored?.urn
      ? /deletes database .* with its data/.test(text)
      : text.includes(lost.branch_id) && takesData.test(text),
  );
}

const takesData = /deletes the data of branch .* and resets it/;
