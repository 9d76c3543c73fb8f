import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Newcomers } from '../limits/newcomers';
import { isPublicPage } from './access';

/**
 * Limits for a client, beyond which the server closes the connection or responds with an error. Long enough for any
 * well-behaved client, even on a busy machine.
 */
export const SERVER_LIMITS = {
  /** Maximum number of connections without a request with the key; one more, and the oldest is closed. */
  newcomers: 2000,
  bodyBytes: 1024 * 1024,
  /** Maximum time until the headers are complete. */
  headersMs: 20_000,
  /** Maximum time until the request is complete, without the time for the work and the response. */
  requestMs: 60_000,
  /** Interval at which the two times above are checked. */
  checkEveryMs: 1000,
  /** Maximum time without progress of a response, because the client does not read it. */
  readingMs: 30_000,
  /** Maximum time between two requests. Longer than usual connection pools wait, so that the client closes first. */
  keepAliveMs: 72_000,
};
export type ServerLimits = typeof SERVER_LIMITS;

/** Connections that send nothing would take the descriptors that other clients need. Register it after the authorization. */
export function addNewcomersLimit(app: FastifyInstance, { newcomers: most }: ServerLimits): void {
  const newcomers = new Newcomers(most);
  const add = (socket: Socket): void => newcomers.add(socket, () => socket.destroy());
  app.server.on('connection', (socket) => {
    socket.once('close', () => newcomers.admit(socket));
    add(socket);
  });
  app.addHook('onRequest', async (request) => {
    if (!isPublicPage(request)) newcomers.admit(request.socket);
  });
  app.addHook('onResponse', async ({ socket }) => add(socket));
}

/**
 * Closes the connection of a client that does not read its response. Register it after the other hooks: the time starts
 * with the response, so injected delays and long polls do not count.
 */
export function addReadingLimit(app: FastifyInstance, { readingMs }: ServerLimits): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    request.raw.socket.setTimeout(readingMs);
    return payload;
  });
}
