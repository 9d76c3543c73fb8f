import { describeChanges } from './changes.js';
import {
  formatCap,
  formatCount,
  formatDate,
  formatDuration,
  formatRunningDuration,
  formatSize,
  formatSuspendTimeout,
  formatTime,
} from './formats.js';
import { addressOf } from './project-choice.js';
import { clearRows, elementById, showOptionalText, showRows, showText } from './rows.js';

/**
 * @typedef {import('../src/console/view-console').ConsoleView} ConsoleView
 * @typedef {import('../src/console/view-console').EndpointView} EndpointView
 * @typedef {import('../src/console/view-console').OperationView} OperationView
 * @typedef {import('../src/console/view-console').ProjectEntry} ProjectEntry
 * @typedef {import('../src/console/view-console').ProjectView} ProjectView
 * @typedef {import('./rows.js').FindPart} FindPart
 */

const TITLE = 'Postgres control emulator';
const NO_BREAK = '\u00a0';

/** @type {ConsoleView | undefined} */
let shown;
/** The browser's clock minus the emulator's. */
let clockAheadMs = 0;
let seenMs = 0;

/**
 * @param {ConsoleView} view
 * @param {string | undefined} missingId the requested project, if it does not exist
 */
export function showView(view, missingId) {
  const before = shown;
  const { project } = view;
  shown = view;
  seenMs = Date.now();
  clockAheadMs = seenMs - view.nowMs;
  showConnection(
    'live',
    'Live',
    missingId === undefined ? '' : `Project ${missingId} does not exist, or no longer exists.`,
  );
  elementById('key-form').hidden = true;
  elementById('layout').hidden = false;
  showProjects(view);
  elementById('no-project').hidden = project !== null;
  elementById('project').hidden = project === null;
  const isSameProject = project !== null && project.id === before?.project?.id;
  if (!isSameProject) {
    clearRows('endpoints');
    clearRows('operations');
  }
  if (project !== null) showProject(project, isSameProject);
  document.title = project === null ? TITLE : `${project.name} – ${TITLE}`;
  const changes = before === undefined ? '' : describeChanges(before.project, project);
  if (changes !== '') showText(elementById('announcer'), changes);
}

/** Keeps the view and shows its age. */
export function showLost() {
  const since = shown === undefined ? '' : ` The page shows the state at ${formatTime(seenMs)}.`;
  showConnection(
    'lost',
    'Disconnected',
    `Connection lost: the emulator does not respond.${since} The page reconnects automatically.`,
  );
}

/** @param {string} reason */
export function showKeyForm(reason) {
  shown = undefined;
  showConnection('waiting', 'Not connected', '');
  elementById('layout').hidden = true;
  showText(elementById('key-reason'), reason);
  elementById('key-form').hidden = false;
  elementById('key-input').focus();
}

/** Updates the durations of unfinished operations while the connection is live. Call it repeatedly. */
export function countDurations() {
  if (shown === undefined || elementById('connection').dataset.state !== 'live') return;
  const unfinished = shown.project?.operations.filter(({ durationMs }) => durationMs === null) ?? [];
  for (const operation of unfinished) {
    const cell = document.querySelector(`#operations [data-id="${operation.id}"] [data-part="duration"]`);
    if (cell instanceof HTMLElement) showText(cell, durationText(operation));
  }
}

/**
 * @param {'live' | 'lost' | 'waiting'} state
 * @param {string} label
 * @param {string} notice
 */
function showConnection(state, label, notice) {
  const connection = elementById('connection');
  connection.dataset.state = state;
  showText(connection, label);
  showText(elementById('notice'), notice);
}

/** @param {ConsoleView} view */
function showProjects({ projects, projectCount, project }) {
  showRows('projects', 'project-entry', projects, (find, entry) => {
    const link = find('link');
    link.setAttribute('href', addressOf(entry.id));
    if (entry.id === project?.id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    showText(find('name'), entry.name);
    showText(find('facts'), formatCount(entry.endpointCount, 'endpoint'));
    showOptionalText(find('busy'), entry.unfinishedCount === 0 ? '' : `${entry.unfinishedCount} under way`);
  });
  showOptionalText(elementById('projects-note'), formatCap(projects.length, projectCount, 'Newest'));
}

/**
 * @param {ProjectView} project
 * @param {boolean} isFollowed whether new rows are news to the user
 */
function showProject(project, isFollowed) {
  const { endpoints, endpointCount, operations, operationCount } = project;
  showText(elementById('project-name'), project.name);
  const branches = formatCount(project.branchCount, 'branch', 'branches');
  const facts = [project.id, project.regionId, `Postgres ${project.pgVersion}`, branches];
  // A line may break between two facts, but not within one.
  showText(
    elementById('project-facts'),
    facts.map((fact) => fact.replaceAll(' ', NO_BREAK)).join(`${NO_BREAK}· `),
  );
  showRows('endpoints', 'endpoint-row', endpoints, fillEndpoint, isFollowed);
  showExtent('endpoint', endpointCount, formatCap(endpoints.length, endpointCount, 'First'));
  showRows('operations', 'operation-row', operations, fillOperation, isFollowed);
  showExtent('operation', operationCount, formatCap(operations.length, operationCount, 'Newest'));
}

/**
 * Shows the count above the table, or a note instead of the table if there are none.
 * @param {'endpoint' | 'operation'} noun
 * @param {number} count
 * @param {string} cap which of them the table shows, if not all
 */
function showExtent(noun, count, cap) {
  elementById(`${noun}s-table`).hidden = count === 0;
  elementById(`no-${noun}s`).hidden = count !== 0;
  showText(elementById(`${noun}s-note`), cap || formatCount(count, noun));
}

/**
 * @param {FindPart} find
 * @param {EndpointView} endpoint
 */
function fillEndpoint(find, endpoint) {
  showText(find('title'), endpoint.name ?? endpoint.id);
  showOptionalText(find('id'), endpoint.name === null ? '' : endpoint.id);
  showBadge(find('state'), endpoint.state);
  find('next').hidden = endpoint.nextState === null;
  showText(find('nextState'), endpoint.nextState ?? '');
  const copy = find('copy');
  copy.hidden = endpoint.login === null;
  copy.dataset.endpoint = endpoint.id;
  copy.dataset.role = endpoint.login?.role;
  copy.dataset.database = endpoint.login?.database;
  showText(find('branch'), endpoint.branch);
  showText(find('type'), endpoint.type);
  showText(find('size'), formatSize(endpoint.minCu, endpoint.maxCu));
  showText(find('suspends'), formatSuspendTimeout(endpoint.suspendTimeoutSeconds));
  showDate(find('lastActive'), endpoint.lastActive);
  // With none, the date says all there is to say.
  showOptionalText(
    find('connections'),
    endpoint.connections ? formatCount(endpoint.connections, 'connection') : '',
  );
}

/**
 * @param {FindPart} find
 * @param {OperationView} operation
 */
function fillOperation(find, operation) {
  showText(find('action'), operation.action);
  showOptionalText(find('endpointId'), operation.endpointId ?? '');
  showOptionalText(find('error'), operation.error ?? '');
  showText(find('branch'), operation.branch);
  showBadge(find('status'), operation.status);
  showText(find('duration'), durationText(operation));
  showDate(find('date'), operation.createdAt);
}

/** @param {OperationView} operation */
function durationText({ createdAt, durationMs }) {
  if (durationMs !== null) return formatDuration(durationMs);
  return formatRunningDuration(Date.now() - clockAheadMs - Date.parse(createdAt));
}

/**
 * The style sheet colours known labels.
 * @param {HTMLElement} badge
 * @param {string} label
 */
function showBadge(badge, label) {
  badge.dataset.label = label;
  showText(badge, label);
}

/**
 * @param {HTMLElement} element
 * @param {string | null} timestamp
 */
function showDate(element, timestamp) {
  if (timestamp !== null) element.setAttribute('datetime', timestamp);
  showText(element, timestamp === null ? 'never' : formatDate(timestamp));
}
