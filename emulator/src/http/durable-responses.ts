import type { FastifyInstance } from 'fastify';
import { describeError } from './error-responses';

/** Sends a response only after the changes that it made, or shows, are on the disk. */
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
