import { forgetKey, keepKey, takeKey } from './api-key.js';
import { countDurations, showKeyForm, showLost, showView } from './page.js';
import { chosenProject } from './project-choice.js';
import { elementById } from './rows.js';

/** @typedef {import('../src/console/console-view').ConsoleView} ConsoleView */

/** The emulator answers after 20 s also when nothing has changed. */
const LONGEST_ANSWER_MS = 30_000;
const RETRY_MS = 1000;
const COUNT_EVERY_MS = 200;

let key = takeKey();
/** @type {string | undefined} */
let projectId = chosenProject();
/** The project that was asked for and does not exist. @type {string | undefined} */
let missingId;
/** What the page shows already; undefined asks for an answer at once. @type {string | undefined} */
let version;
let request = new AbortController();
/** Ends the wait that is under way, for a key or for the next try. */
let wake = () => {};

async function follow() {
  for (;;) {
    if (key === undefined) {
      await askForKey('Open the console by the address that the emulator printed, or enter its API key.');
    }
    request = new AbortController();
    try {
      await showNext(request.signal);
    } catch {
      // Aborted means that something else is wanted now, not that the connection is lost.
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
  const answer = await fetch(`/console/events?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    cache: 'no-store',
    signal: AbortSignal.any([cancelled, AbortSignal.timeout(LONGEST_ANSWER_MS)]),
  });
  if (answer.status === 401) {
    forgetKey();
    key = undefined;
    return askForKey('The emulator does not know this key. Enter the API key that it printed.');
  }
  if (!answer.ok) throw new Error(`GET /console/events: ${answer.status}`);
  /** @type {ConsoleView} */
  const view = await answer.json();
  if (cancelled.aborted) return;
  if (projectId !== undefined && view.project?.id !== projectId) missingId = projectId;
  version = view.version;
  projectId = view.project?.id;
  showView(view, missingId);
}

/** What the page waits for is no longer what the reader wants. */
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
 * @param {number} [ms] without it, until something wakes the page
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

elementById('skip-link').addEventListener('click', (event) => {
  // As a jump it would take the chosen project out of the address.
  event.preventDefault();
  elementById('content').focus();
});

setInterval(countDurations, COUNT_EVERY_MS);
void follow();
