/** The default of the service, for endpoints without a delay of their own. */
const DEFAULT_SUSPEND_SECONDS = 300;

/**
 * As the command `postgres-compute` shows it: `320 ms`, `2 s`, `2.3 s`, `1 min 5 s`
 * @param {number} ms
 */
export function formatDuration(ms) {
  const tenths = Math.round(ms / 100);
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  return formatSeconds(tenths < 100 ? tenths / 10 : Math.round(ms / 1000));
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
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return joinUnits(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  return minutes < 1440
    ? joinUnits(minutes, 60, 'h', 'min')
    : joinUnits(Math.round(minutes / 60), 24, 'd', 'h');
}

/**
 * The large unit, and the small one unless there is none.
 * @param {number} count
 * @param {number} size
 * @param {string} large
 * @param {string} small
 */
function joinUnits(count, size, large, small) {
  const rest = count % size === 0 ? '' : ` ${count % size} ${small}`;
  return `${Math.floor(count / size)} ${large}${rest}`;
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

/** Of 24 hours, as the command shows them: those of 12 need more than the column has. @type {Intl.DateTimeFormatOptions} */
const time = { timeStyle: 'medium', hourCycle: 'h23' };
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', ...time });
const timeFormat = new Intl.DateTimeFormat(undefined, time);

/**
 * Date with time, in the reader's language and time zone.
 * @param {string} timestamp
 */
export function formatDate(timestamp) {
  return dateFormat.format(new Date(timestamp));
}

/** @param {number} ms */
export function formatTime(ms) {
  return timeFormat.format(ms);
}
