import type { Operation } from '../control-api/wire-types';
import { isUnfinished } from '../operations/operation-outcome';

/** A readable duration, as the emulator's page shows it: `350 ms`, `2.3 s`, `41 s`, `2 min 5 s`, `1 h`, `2 d 4 h`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 100) return `${tenths / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return joinUnits(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  return minutes < 1_440
    ? joinUnits(minutes, 60, 'h', 'min')
    : joinUnits(Math.round(minutes / 60), 24, 'd', 'h');
}

/** The large unit, and the small one unless there is none. */
function joinUnits(count: number, size: number, large: string, small: string): string {
  const rest = count % size === 0 ? '' : ` ${count % size} ${small}`;
  return `${Math.floor(count / size)} ${large}${rest}`;
}

/** How long the operation took, or has taken so far. Milliseconds; undefined if a timestamp is unreadable. */
export function durationOf(operation: Operation, nowMs: number): number | undefined {
  const createdMs = Date.parse(operation.created_at);
  const endedMs = Date.parse(operation.updated_at);
  const ms = isUnfinished(operation)
    ? nowMs - createdMs
    : (operation.total_duration_ms ?? endedMs - createdMs);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A timestamp to the second, in UTC: `2026-01-31 12:00:05Z`. */
export function formatDate(timestamp: string): string {
  const ms = Date.parse(timestamp);
  if (Number.isNaN(ms)) return timestamp;
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
