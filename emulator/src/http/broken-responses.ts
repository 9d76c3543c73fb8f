import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { RequestEffect } from '../faults/fault-types';

type Effect<Kind> = Extract<RequestEffect, { kind: Kind }>;

/** Turns the answer into one of a proxy between client and service, which knows nothing of request ids. */
export function showProxyPage(reply: FastifyReply, effect: Effect<'proxy-page'>): Buffer {
  const { status, contentType = 'text/html' } = effect;
  reply.code(status).header('content-type', contentType).removeHeader('x-request-id');
  const title = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  const page = `<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n</body>\n</html>\n`;
  // Fastify adds a charset to the type of a text.
  return Buffer.from(effect.body ?? page);
}

/** The first half of the body, and then something that its reader cannot take for the end. */
export function cutOff(reply: FastifyReply, { encoding }: Effect<'cut-off'>, payload: string): unknown {
  const body = Buffer.from(payload);
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (encoding === 'gzip') {
    reply.header('content-encoding', 'gzip');
    // Flushed, a gzip stream goes on at a whole byte. 0xff begins a block of a type that does not exist.
    return Buffer.concat([gzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH }), Buffer.of(0xff)]);
  }
  reply.header('content-length', String(body.length));
  return Readable.from(breakAfter(half));
}

/** Fastify closes the connection when the stream of an answer fails after the headers are out. */
async function* breakAfter(part: Buffer): AsyncGenerator<Buffer> {
  yield part;
  // The part has to be with the operating system before the connection is closed.
  await nextTurn();
  throw new Error('the answer is cut off by an injected fault');
}
