/** @typedef {import('../src/console/console-view').ProjectView} ProjectView */

/** More than that would be read out for longer than it is true. */
const MOST_SAID = 3;

/**
 * What a screen reader says of the difference between two views of the console; empty when there is nothing to say.
 * @param {ProjectView | null} before
 * @param {ProjectView | null} now
 */
export function describeChanges(before, now) {
  if (now === null) return before === null ? '' : 'There is no project any more.';
  if (before?.id !== now.id) return `Project ${now.name}`;
  const changes = [...describeOperations(before, now), ...describeEndpoints(before, now)];
  if (changes.length <= MOST_SAID) return changes.join(' ');
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
      .map(({ id, name }) => `Endpoint ${name ?? id} is gone.`),
  ];
}
