const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The default of the service, for endpoints without a delay of their own. */
const DEFAULT_SUSPEND_SECONDS = 300;

/**
 * `320 ms`, `2 s`, `1 min 5 s`
 * @param {number} ms
 */
export function formatDuration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000);
  return formatSeconds(seconds);
}

/**
 * A duration that still grows, in whole seconds.
 * @param {number} ms
 */
export function formatRunningDuration(ms) {
  return formatSeconds(Math.max(0, Math.floor(ms / 1000)));
}

/** @param {number} seconds */
function formatSeconds(seconds) {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR)
    return joinUnits(Math.floor(seconds / MINUTE), 'min', Math.floor(seconds % MINUTE), 's');
  if (seconds < DAY)
    return joinUnits(Math.floor(seconds / HOUR), 'h', Math.floor((seconds % HOUR) / MINUTE), 'min');
  return joinUnits(Math.floor(seconds / DAY), 'd', Math.floor((seconds % DAY) / HOUR), 'h');
}

/**
 * @param {number} large
 * @param {string} largeUnit
 * @param {number} small
 * @param {string} smallUnit
 */
function joinUnits(large, largeUnit, small, smallUnit) {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** @param {number} seconds as in the API: -1 never, 0 the default */
export function formatSuspendTimeout(seconds) {
  return seconds < 0 ? 'never' : formatSeconds(seconds || DEFAULT_SUSPEND_SECONDS);
}

/**
 * @param {number} minCu
 * @param {number} maxCu
 */
export function formatSize(minCu, maxCu) {
  return minCu === maxCu ? `${minCu} CU` : `${minCu} – ${maxCu} CU`;
}

/**
 * `1 endpoint`, `2 endpoints`
 * @param {number} count
 * @param {string} noun
 */
export function formatCount(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString()} ${count === 1 ? noun : plural}`;
}

/**
 * Empty if all of them are shown.
 * @param {number} shown
 * @param {number} total
 * @param {string} order
 */
export function formatCap(shown, total, order) {
  return shown === total ? '' : `${order} ${shown.toLocaleString()} of ${total.toLocaleString()}`;
}

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/**
 * Date with time, in the reader's locale and time zone.
 * @param {string} timestamp
 */
export function formatDate(timestamp) {
  return dateFormat.format(new Date(timestamp));
}

/** @param {number} ms */
export function formatTime(ms) {
  return timeFormat.format(ms);
}
