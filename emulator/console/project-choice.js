/**
 * The project in the address, as in `#project=calm-lake-12345678`, so that reload and the back button keep it.
 * @returns {string | undefined}
 */
export function chosenProject() {
  return new URLSearchParams(location.hash.slice(1)).get('project') ?? undefined;
}

/** @param {string} projectId */
export function addressOf(projectId) {
  return `#${new URLSearchParams({ project: projectId })}`;
}
