import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Operation } from 'postgres-control-emulator';
import { API_PREFIX } from '../../emulator/src/http/api-path';
import { createServer } from '../../emulator/src/http/server';
import type { SentRequest } from '../simulation/network/network';
import type { Served } from '../simulation/service/in-process-reply';
import type { ServedPlane } from '../simulation/service/served-plane';

/** What happens to the requests of one run. */
export interface RequestWitness {
  /** It has arrived, and nothing is done yet. */
  arrives(request: SentRequest): Promise<void>;
  /** Its work is due. Also returns the operations that it has started. */
  work<Result>(request: SentRequest, work: () => Result): { result: Result; started: readonly Operation[] };
  /** The response is decided. */
  answered(request: SentRequest, served: Served, started: readonly Operation[]): void;
  /** The response has left. */
  delivered(request: SentRequest, served: Served): void;
}

/**
 * Serves the plane to one run at an address of its own, so that every request is known to be that run's, even the late ones of a
 * process that was killed.
 */
export async function serveRun(
  { plane, controls, log, stopped }: ServedPlane,
  longestPage: number | undefined,
  witness: RequestWitness,
) {
  const app = createServer({ plane, controls, log, stopped });
  const started = new WeakMap<FastifyRequest, readonly Operation[]>();
  const answers = new WeakMap<FastifyRequest, Served>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const done = witness.work(toSent(request), () => handler.call(this, request, reply));
      started.set(request, done.started);
      return done.result;
    };
  });
  app.addHook('preValidation', async (request, reply) => {
    const query = request.query as { limit?: string };
    if (query.limit && longestPage) query.limit = String(Math.min(Number(query.limit), longestPage));
    reply.raw.once('close', () => {
      if (!answers.has(request)) witness.answered(toSent(request), { kind: 'lost' }, []);
    });
    await witness.arrives(toSent(request));
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const served = toServed(reply.statusCode, reply.getHeaders(), payload, request.raw.socket.destroyed);
    answers.set(request, served);
    witness.answered(toSent(request), served, started.get(request) ?? []);
    return payload;
  });
  app.addHook('onResponse', async (request) => {
    const served = answers.get(request);
    if (served && served.kind !== 'lost') witness.delivered(toSent(request), served);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${API_PREFIX}`, close: () => app.close() };
}

function toSent({ method, url, body }: FastifyRequest): SentRequest {
  const path = url.slice(API_PREFIX.length);
  return { method, path, body: body === undefined || body === null ? undefined : JSON.stringify(body) };
}

function toServed(
  status: number,
  headers: Record<string, unknown>,
  payload: unknown,
  isLost: boolean,
): Served {
  if (isLost) return { kind: 'lost' };
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const isWhole = payload === undefined || payload === null || typeof payload === 'string';
  const body = isWhole ? (payload ?? '') : '';
  return { kind: isWhole ? 'whole' : 'cut off', status, headers: texts, body };
}
