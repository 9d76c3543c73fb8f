import { toPrintable, toPrintableJson } from '../control-api/printable';
import type { Operation } from '../control-api/wire-types';
import { toOperationState } from '../lookups/operation-state';
import { outcomeOf, statusLabel } from '../operations/operation-outcome';
import { durationOf, formatDate, formatDuration } from './duration';
import type { Screen } from './screen';
import { GrowingTable, layOutDetails } from './table';

type Colors = Screen['colors'];
type Pages = AsyncIterable<readonly Operation[]> | Iterable<readonly Operation[]>;

const head = ['ACTION', 'BRANCH', 'STATUS', 'DURATION', 'DATE', 'ID'];

/** Prints each page as soon as it arrives, with the columns of the service's console. */
export async function printOperations(pages: Pages, screen: Screen): Promise<void> {
  const table = new GrowingTable(head.map((title) => screen.colors.dim(title)));
  let isEmpty = true;
  for await (const operations of pages) {
    if (operations.length === 0) continue;
    isEmpty = false;
    await screen.print(table.layOut(operations.map((operation) => toRow(operation, screen.colors))));
  }
  if (isEmpty) screen.say('No operations found.');
}

/** Prints `{"operations":[…]}` page by page, one operation per line. */
export async function printOperationsAsJson(pages: Pages, screen: Screen): Promise<void> {
  await screen.print('{"operations":[');
  // Printed when the next operation arrives, because a comma follows every operation but the last.
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

/** Everything about one operation, one line each. */
export function layOutOperation(operation: Operation, colors: Colors): string {
  const details = [
    ['id', operation.id],
    ['action', operation.action],
    ['status', `${statusLabel(operation.status)} (${operation.status})`, painterOf(operation, colors)],
    ['error', operation.error],
    ['failures', String(operation.failures_count)],
    ['project', operation.project_id],
    ['branch', operation.branch_id],
    ['endpoint', operation.endpoint_id],
    ['duration', describeDuration(operation)],
    ['created', formatDate(operation.created_at)],
    ['updated', formatDate(operation.updated_at)],
  ] as const;
  return layOutDetails(details, colors);
}

function toRow(operation: Operation, colors: Colors): string[] {
  return [
    toPrintable(operation.action),
    toPrintable(operation.branch_id ?? ''),
    painterOf(operation, colors)(toPrintable(statusLabel(operation.status))),
    describeDuration(operation),
    toPrintable(formatDate(operation.created_at)),
    toPrintable(operation.id),
  ];
}

function painterOf(operation: Operation, colors: Colors): (text: string) => string {
  const outcome = outcomeOf(operation);
  if (outcome === 'succeeded') return colors.green;
  return outcome === 'failed' ? colors.red : colors.yellow;
}

function describeDuration(operation: Operation): string {
  // biome-ignore lint/plugin: an unfinished operation has lasted from a time of the service until now.
  const ms = durationOf(operation, Date.now());
  return ms === undefined ? '' : formatDuration(ms);
}
