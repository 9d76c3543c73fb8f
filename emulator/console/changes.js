/** @typedef {import('../src/console/view-console').ProjectView} ProjectView */

/** A screen reader would need longer to read more changes than they stay current. */
const MOST_ANNOUNCED = 3;

/**
 * The text that a screen reader announces for the difference between two views; empty if there is none.
 * @param {ProjectView | null} before
 * @param {ProjectView | null} now
 */
export function describeChanges(before, now) {
  if (now === null) return before === null ? '' : 'No projects are left.';
  if (before?.id !== now.id) return `Project ${now.name}`;
  const changes = [...describeOperations(before, now), ...describeEndpoints(before, now)];
  if (changes.length <= MOST_ANNOUNCED) return changes.join(' ');
  return `${changes.length} changes, the latest: ${changes[0]}`;
}

/**
 * @param {ProjectView} before
 * @param {ProjectView} now
 */
function describeOperations(before, now) {
  const statuses = new Map(before.operations.map(({ id, status }) => [id, status]));
  return now.operations
    .filter(({ id, status }) => statuses.get(id) !== status)
    .map(({ action, branch, status }) => `${action} on branch ${branch}: ${status}.`);
}

/**
 * @param {ProjectView} before
 * @param {ProjectView} now
 */
function describeEndpoints(before, now) {
  const states = new Map(before.endpoints.map(({ id, state }) => [id, state]));
  const left = new Set(now.endpoints.map(({ id }) => id));
  return [
    ...now.endpoints
      .filter(({ id, state }) => states.get(id) !== state)
      .map(({ id, name, state }) => `Endpoint ${name ?? id}: ${state}.`),
    ...before.endpoints
      .filter(({ id }) => !left.has(id))
      .map(({ id, name }) => `Endpoint ${name ?? id} no longer exists.`),
  ];
}
