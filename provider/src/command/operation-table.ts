import { toPrintable } from '../control-api/printable';
import type { Operation } from '../control-api/wire-types';
import { outcomeOf, statusLabel } from '../operations/operation-outcome';
import { durationOf, formatDate, formatDuration } from './duration';
import type { Screen } from './screen';
import { GrowingTable, layOutLines } from './table';

const head = ['ACTION', 'BRANCH', 'STATUS', 'DURATION', 'DATE', 'ID'];
/** What the longest known action, the usual id of a branch and so on take. */
const usualWidths = [20, 28, 11, 12, 20, 36];

type Colors = Screen['colors'];

/** Lays out operations with what the service's console shows of them: action, branch, status, duration and date. */
export class OperationTable {
  readonly #colors: Colors;
  readonly #table = new GrowingTable(usualWidths);
  #hasHead = false;

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  layOut(operations: readonly Operation[], nowMs = Date.now()): string {
    const rows = operations.map((operation) => this.#toRow(operation, nowMs));
    const heads = this.#hasHead ? [] : [head.map((word) => this.#colors.dim(word))];
    this.#hasHead = true;
    return this.#table.layOut([...heads, ...rows]);
  }

  #toRow(operation: Operation, nowMs: number): string[] {
    return [
      toPrintable(operation.action),
      toPrintable(operation.branch_id ?? ''),
      painterOf(operation, this.#colors)(toPrintable(statusLabel(operation.status))),
      describeDuration(operation, nowMs),
      toPrintable(formatDate(operation.created_at)),
      toPrintable(operation.id),
    ];
  }
}

/** Everything about one operation, a line each. */
export function describeInLines(operation: Operation, colors: Colors, nowMs = Date.now()): string {
  const lines = [
    ['id', operation.id],
    ['action', operation.action],
    ['status', `${statusLabel(operation.status)} (${operation.status})`, painterOf(operation, colors)],
    ['error', operation.error],
    ['failures', String(operation.failures_count)],
    ['project', operation.project_id],
    ['branch', operation.branch_id],
    ['endpoint', operation.endpoint_id],
    ['duration', describeDuration(operation, nowMs)],
    ['created', formatDate(operation.created_at)],
    ['updated', formatDate(operation.updated_at)],
  ] as const;
  return layOutLines(lines, colors);
}

function painterOf(operation: Operation, colors: Colors): (text: string) => string {
  const outcome = outcomeOf(operation);
  if (outcome === 'succeeded') return colors.green;
  return outcome === 'failed' ? colors.red : colors.yellow;
}

function describeDuration(operation: Operation, nowMs: number): string {
  const ms = durationOf(operation, nowMs);
  return ms === undefined ? '' : formatDuration(ms);
}
