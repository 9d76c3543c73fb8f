import { forgetKey, keepKey, takeKey } from './api-key.js';
import { countDurations, showKeyForm, showLost, showView } from './page.js';
import { chosenProject } from './project-choice.js';
import { elementById, showOptionalText } from './rows.js';

/** @typedef {import('../src/console/view-console').ConsoleView} ConsoleView */

/** The emulator responds after 20 s even if nothing has changed. */
const LONGEST_RESPONSE_MS = 30_000;
const RETRY_MS = 1000;
const COUNT_EVERY_MS = 200;

let key = takeKey();
/** @type {string | undefined} */
let projectId = chosenProject();
/** The requested project, if it does not exist. @type {string | undefined} */
let missingId;
/** The version that the page shows; undefined requests a response at once. @type {string | undefined} */
let version;
let request = new AbortController();
/** Ends the current wait, for a key or for the next retry. */
let wake = () => {};

async function follow() {
  for (;;) {
    if (key === undefined) {
      await askForKey('Open the console at the address that the emulator printed, or enter its API key.');
    }
    request = new AbortController();
    try {
      await showNext(request.signal);
    } catch {
      // Aborted means that the page now needs another view, not that the connection is lost.
      if (request.signal.aborted) continue;
      version = undefined;
      showLost();
      await pause(RETRY_MS);
    }
  }
}

/** @param {AbortSignal} cancelled */
async function showNext(cancelled) {
  const query = new URLSearchParams();
  if (projectId !== undefined) query.set('project', projectId);
  if (version !== undefined) query.set('after', version);
  const response = await fetch(`/console/events?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    cache: 'no-store',
    signal: AbortSignal.any([cancelled, AbortSignal.timeout(LONGEST_RESPONSE_MS)]),
  });
  if (response.status === 401) {
    forgetKey();
    key = undefined;
    return askForKey('The emulator does not accept this key. Enter the API key that it printed.');
  }
  if (!response.ok) throw new Error(`GET /console/events: ${response.status}`);
  /** @type {ConsoleView} */
  const view = await response.json();
  if (cancelled.aborted) return;
  if (projectId !== undefined && view.project?.id !== projectId) missingId = projectId;
  version = view.version;
  projectId = view.project?.id;
  showView(view, missingId);
}

/**
 * Shows the connection string of an endpoint and copies it. Only now it is requested, because it contains a password.
 * @param {HTMLButtonElement} button
 */
async function copyConnectionString({ dataset, nextElementSibling: output }) {
  if (!(output instanceof HTMLOutputElement)) return;
  const { endpoint = '', role = '', database = '' } = dataset;
  const query = new URLSearchParams({ endpoint_id: endpoint, role_name: role, database_name: database });
  const response = await fetch(`/api/v2/projects/${projectId}/connection_uri?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    cache: 'no-store',
  });
  const { uri, message } = await response.json();
  showOptionalText(output, uri ?? message);
  // Not every browser allows it; the text can be selected in any case.
  if (uri !== undefined) await navigator.clipboard?.writeText(uri).catch(() => undefined);
}

/** Drops the current request and requests the view for the new key or project. */
function startOver() {
  version = undefined;
  missingId = undefined;
  request.abort();
  wake();
}

/** @param {string} reason */
async function askForKey(reason) {
  showKeyForm(reason);
  while (key === undefined) await pause();
}

/**
 * @param {number} [ms] omitted: until `wake` is called
 * @returns {Promise<void>}
 */
function pause(ms) {
  return new Promise((resolve) => {
    wake = resolve;
    if (ms !== undefined) setTimeout(resolve, ms);
  });
}

addEventListener('hashchange', () => {
  key = takeKey();
  projectId = chosenProject() ?? projectId;
  startOver();
});

elementById('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = elementById('key-input');
  if (!(input instanceof HTMLInputElement)) return;
  key = input.value.trim();
  keepKey(key);
  startOver();
});

elementById('endpoints').addEventListener('click', ({ target }) => {
  if (target instanceof HTMLButtonElement) void copyConnectionString(target);
});

elementById('skip-link').addEventListener('click', (event) => {
  // Following the link would remove the selected project from the address.
  event.preventDefault();
  elementById('content').focus();
});

setInterval(countDurations, COUNT_EVERY_MS);
void follow();
