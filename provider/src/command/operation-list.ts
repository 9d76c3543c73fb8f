import { toPrintableJson } from '../control-api/printable';
import type { Operation } from '../control-api/wire-types';
import { toOperationState } from '../operations/operation-state';
import { OperationTable } from './operation-table';
import type { Screen } from './screen';

type Pages = AsyncIterable<readonly Operation[]> | Iterable<readonly Operation[]>;

/** Prints each page as it comes. */
export async function printAsTable(pages: Pages, screen: Screen): Promise<void> {
  const table = new OperationTable(screen.colors);
  let isEmpty = true;
  for await (const operations of pages) {
    if (operations.length === 0) continue;
    isEmpty = false;
    await screen.print(table.layOut(operations));
  }
  if (isEmpty) screen.say('No operations found.');
}

/** Prints `{"operations":[…]}` as the pages come, an operation a line. */
export async function printAsJson(pages: Pages, screen: Screen): Promise<void> {
  await screen.print('{"operations":[');
  // The last operation is held back until it is known whether there is another one, which takes a comma.
  let held: string | undefined;
  for await (const operations of pages) {
    const lines: string[] = [];
    for (const operation of operations) {
      if (held !== undefined) lines.push(`${held},`);
      held = toPrintableJson(toOperationState(operation, screen.redact), 0);
    }
    if (lines.length > 0) await screen.print(lines.join('\n'));
  }
  await screen.print(held === undefined ? ']}' : `${held}\n]}`);
}
