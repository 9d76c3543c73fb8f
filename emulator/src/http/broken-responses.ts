import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { RequestEffect } from '../faults/faults';

type Effect<Kind> = Extract<RequestEffect, { kind: Kind }>;

/** Replaces the response by one of a proxy between client and service, which sends no request id. */
export function showProxyPage(reply: FastifyReply, effect: Effect<'proxy-page'>): Buffer {
  const { status, contentType = 'text/html' } = effect;
  reply.code(status).header('content-type', contentType).removeHeader('x-request-id');
  const title = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  const page = `<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n</body>\n</html>\n`;
  // A Buffer, because Fastify adds a charset to the content type of a string.
  return Buffer.from(effect.body ?? page);
}

/** Sends half of the body and then breaks off, so that the client cannot mistake it for the end. */
export function cutOff(reply: FastifyReply, { encoding }: Effect<'cut-off'>, payload: string): unknown {
  const body = Buffer.from(payload);
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (encoding === 'gzip') {
    reply.header('content-encoding', 'gzip');
    // The flush ends at a byte boundary. 0xff then starts a block of a type that does not exist.
    return Buffer.concat([gzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH }), Buffer.of(0xff)]);
  }
  reply.header('content-length', String(body.length));
  return Readable.from(breakAfter(half));
}

/** Fastify closes the connection when a response stream fails after the headers have been sent. */
async function* breakAfter(part: Buffer): AsyncGenerator<Buffer> {
  yield part;
  // The operating system must have this part before the connection is closed.
  await nextTurn();
  throw new Error('an injected fault cut off the response');
}
