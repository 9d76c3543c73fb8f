import type { FastifyInstance } from 'fastify';
import { describeError } from './error-responses';

/** No answer goes out before what it tells is on the disk: what it was requested for, and what it shows. */
export function waitForSaves(app: FastifyInstance, journal: { saved(): Promise<void> }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    try {
      await journal.saved();
      return payload;
    } catch (error) {
      return JSON.stringify(describeError(error, request, reply));
    }
  });
}
