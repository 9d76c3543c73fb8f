import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ConsoleView } from '../../console/console-view';
import { viewConsole } from '../../console/view-console';
import type { ControlPlane } from '../../control-plane/control-plane';
import { readQueryText } from './query-parameters';

/** The same folder for the sources and for what is built of them. */
const FOLDER = join(__dirname, '../../../console');

const STYLES = ['theme.css', 'layout.css', 'tables.css', 'key-form.css'];
const SCRIPTS = [
  'main.js',
  'api-key.js',
  'project-choice.js',
  'page.js',
  'rows.js',
  'formats.js',
  'changes.js',
];
const FILES = [
  { url: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/console/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
  ...STYLES.map((file) => ({ url: `/console/${file}`, file, type: 'text/css; charset=utf-8' })),
  ...SCRIPTS.map((file) => ({ url: `/console/${file}`, file, type: 'text/javascript; charset=utf-8' })),
];

/** How long a change may go unseen; looking costs well under a millisecond, and only while a page is open. */
const POLL_EVERY_MS = 100;
/** An answer without a change shows the page that the emulator is still there. */
const LONGEST_WAIT_MS = 20_000;

export function addConsoleRoutes(app: FastifyInstance, plane: ControlPlane, stopped: AbortSignal): void {
  for (const { url, file, type } of FILES) {
    app.get(url, { config: { console: 'page' } }, async (_request, reply) =>
      reply.type(type).send(await readFile(join(FOLDER, file))),
    );
  }

  /** Answers once there is something else to see than `after`; at once without it. */
  app.get('/console/events', { config: { console: 'data' } }, async (request) => {
    const projectId = readQueryText(request.query, 'project');
    const after = readQueryText(request.query, 'after');
    return waitForChange(request, () => viewConsole(plane.store, projectId), after, stopped);
  });
}

/**
 * Looks again and again instead of being told: whatever changes the records, by an operation, a control or a timer, is
 * seen without their knowing of the console.
 */
async function waitForChange(
  { raw: { socket } }: FastifyRequest,
  look: () => ConsoleView,
  after: string | undefined,
  stopped: AbortSignal,
): Promise<ConsoleView> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  let view = look();
  while (view.version === after && Date.now() < deadlineMs) {
    await delay(POLL_EVERY_MS, undefined, { ref: false });
    // Nobody reads this answer any more.
    if (socket.destroyed || stopped.aborted) return view;
    view = look();
  }
  return view;
}
