import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { viewConsole } from '../../console/view-console';
import type { ControlPlane } from '../../control-plane/control-plane';
import { queryText, readQuery } from '../../requests/query-parameters';

/** The same folder, whether this file runs from src or from dist. */
const FOLDER = join(__dirname, '../../../console');

const PAGE = { config: { console: 'page' } } as const;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `after` is the version of the view that the page shows. */
const EVENTS_QUERY = z.object({ project: queryText.optional(), after: queryText.optional() });

/** How often the records are polled while a page is open. A poll takes well under a millisecond. */
const POLL_EVERY_MS = 100;
/** A response without a change shows the page that the emulator is still running. */
const LONGEST_WAIT_MS = 20_000;

export function addConsoleRoutes(app: FastifyInstance, plane: ControlPlane, stopped: AbortSignal): void {
  for (const file of readdirSync(FOLDER)) {
    const type = CONTENT_TYPES[extname(file)];
    if (type === undefined) continue;
    app.get(file === 'index.html' ? '/' : `/console/${file}`, PAGE, async (_request, reply) =>
      reply.type(type).send(await readFile(join(FOLDER, file))),
    );
  }

  /**
   * Responds when the view differs from version `after`; at once without `after`. It polls the records, so that the code
   * that changes them (operations, controls, timers) does not depend on the console.
   */
  app.get('/console/events', { config: { console: 'data' } }, async ({ query, raw: { socket } }) => {
    const { project, after } = readQuery(EVENTS_QUERY, query);
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    for (;;) {
      const view = viewConsole(plane, project);
      const isOver = socket.destroyed || stopped.aborted || Date.now() >= deadlineMs;
      if (view.version !== after || isOver) return view;
      await delay(POLL_EVERY_MS, undefined, { ref: false });
    }
  });
}
