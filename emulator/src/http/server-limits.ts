import type { FastifyInstance } from 'fastify';

/** What a client may take of the server before it is cut off. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** Until the headers are complete. */
  readonly headersMs: number;
  /** Until the whole request is there. How long the work and the answer take does not count. */
  readonly requestMs: number;
  /** How often the two above are looked at. */
  readonly checkEveryMs: number;
  /** Without any progress of an answer, because the client does not read. */
  readonly readingMs: number;
  /** Between two requests. Longer than the pools of usual clients wait, so that the client is the one that closes. */
  readonly keepAliveMs: number;
}

/** Clients that may wait to be let in; the system may allow fewer. Node's 511 are not enough for 1,000 at once. */
export const BACKLOG = 4096;

/** Nobody who means well needs longer, also when the machine is busy. */
export const SERVER_LIMITS: ServerLimits = {
  bodyBytes: 1024 * 1024,
  headersMs: 20_000,
  requestMs: 60_000,
  checkEveryMs: 1000,
  readingMs: 30_000,
  keepAliveMs: 72_000,
};

export function fastifyLimits(limits: ServerLimits) {
  return {
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkEveryMs },
  };
}

/**
 * Cuts off who does not read. It comes after the other hooks and counts from the answer on: an answer that is slow on
 * purpose, or that waits for news, is no fault of the client.
 */
export function addReadingLimit(app: FastifyInstance, { readingMs }: ServerLimits): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    request.raw.socket.setTimeout(readingMs);
    return payload;
  });
}
