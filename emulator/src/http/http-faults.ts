import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultRegistry } from '../faults/fault-registry';
import type { RequestEffect } from '../faults/faults';
import { apiPathOf } from './api-path';
import { errorBody } from './error-responses';
import { delayRead } from './routes/late-reads';

type Effect<Kind> = Extract<RequestEffect, { kind: Kind }>;

export function addHttpFaults(app: FastifyInstance, faults: FaultRegistry, stopped: AbortSignal): void {
  const effects = new WeakMap<FastifyRequest, RequestEffect>();

  app.addHook('preHandler', async (request, reply) => {
    const path = apiPathOf(request);
    if (path === undefined) return;
    const canBeLate = request.routeOptions.config.lateRead !== undefined;
    const effect = faults.takeForRequest(request.method, path, canBeLate);
    if (effect === undefined) return;
    if (effect.kind === 'lost-before-work') {
      reply.hijack();
      request.raw.socket.destroy();
    } else if (effect.kind === 'status' && effect.when !== 'after-work') {
      await reply.send(showStatus(request, reply, effect));
    } else if (effect.kind === 'proxy-page' && effect.when !== 'after-work') {
      await reply.send(showProxyPage(reply, effect));
    } else {
      if (effect.kind === 'slow' && effect.when === 'before-work') await pause(effect.delayMs, stopped);
      if (effect.kind === 'late-read') delayRead(request, effect.lateMs);
      effects.set(request, effect);
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const effect = effects.get(request);
    if (effect?.kind === 'lost-after-work') request.raw.socket.destroy();
    if (effect?.kind === 'slow' && effect.when !== 'before-work') await pause(effect.delayMs, stopped);
    if (effect?.kind === 'status') return JSON.stringify(showStatus(request, reply, effect));
    if (effect?.kind === 'proxy-page') return showProxyPage(reply, effect);
    if (typeof payload !== 'string') return payload;
    if (effect?.kind === 'cut-off') return cutOff(reply, effect, payload);
    if (effect?.kind === 'malformed') return payload.slice(0, Math.ceil(payload.length / 2));
    if (effect?.kind === 'repeated-operations') return changeOperations(payload, (all) => [...all, ...all]);
    if (effect?.kind === 'reversed-operations') return changeOperations(payload, (all) => all.toReversed());
    return payload;
  });
}

function showStatus(request: FastifyRequest, reply: FastifyReply, effect: Effect<'status'>): object {
  const { status, retryAfterSeconds, retryAfterFormat } = effect;
  reply.code(status).type('application/json; charset=utf-8');
  if (retryAfterSeconds !== undefined) {
    const date = new Date(Date.now() + retryAfterSeconds * 1000).toUTCString();
    reply.header('retry-after', retryAfterFormat === 'http-date' ? date : String(retryAfterSeconds));
  }
  const message =
    effect.message ?? `${request.method} ${request.url}: an injected fault responded with ${status}`;
  return errorBody(request, effect.code ?? 'INJECTED_FAULT', message);
}

function changeOperations(payload: string, change: (operations: unknown[]) => unknown[]): string {
  // The payload is a response of the emulator, which is always an object.
  const body = JSON.parse(payload) as { operations?: unknown[] };
  if (body.operations !== undefined) body.operations = change(body.operations);
  return JSON.stringify(body);
}

/** The end of the emulator ends the wait, because it closes the connection. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return delay(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
}

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
