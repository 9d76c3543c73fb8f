import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultRegistry } from '../faults/fault-registry';
import type { RequestEffect } from '../faults/faults';
import { apiPathOf } from './api-path';
import { cutOff, showProxyPage } from './broken-responses';
import { errorBody } from './error-responses';
import { delayRead } from './routes/late-reads';

type StatusEffect = Extract<RequestEffect, { kind: 'status' }>;

/** Applies the injected faults to requests, before and after they take effect. */
export function addHttpFaults(app: FastifyInstance, faults: FaultRegistry, stopped: AbortSignal): void {
  const effects = new WeakMap<FastifyRequest, RequestEffect>();

  app.addHook('preHandler', async (request, reply) => {
    const path = apiPathOf(request);
    if (path === undefined) return;
    const canBeLate = request.routeOptions.config.lateRead !== undefined;
    const effect = faults.takeForRequest({ method: request.method, path, canBeLate });
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

function showStatus(request: FastifyRequest, reply: FastifyReply, effect: StatusEffect): object {
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

async function pause(delayMs: number, stopped: AbortSignal): Promise<void> {
  try {
    await delay(delayMs, undefined, { signal: stopped, ref: false });
  } catch (error) {
    // Stopping the emulator ends the wait, because it closes the connection.
    if (!stopped.aborted) throw error;
  }
}
