import type { FastifyInstance } from 'fastify';
import { InProcessReply, type Served, type ServedRequest, type ServerRequest } from './in-process-reply';

type Handler = (request: ServedRequest, reply: InProcessReply) => unknown;
type PayloadHook = (request: ServedRequest, reply: InProcessReply, payload: unknown) => Promise<unknown>;
type ErrorHandler = (error: unknown, request: ServedRequest, reply: InProcessReply) => unknown;
type HookName = 'onRequest' | 'preHandler' | 'onSend';
type BodyParser = (
  request: ServedRequest,
  body: string,
  done: (error: unknown, value?: unknown) => void,
) => void;

interface Route {
  readonly method: string;
  readonly segments: readonly string[];
  readonly config: object;
  readonly handle: Handler;
}

/**
 * As much of Fastify as the emulator's routes, hooks and error responses use, without sockets and streams. Fastify's own
 * `inject` takes seven times as long for a request.
 */
export class InProcessServer {
  #requests = 0;
  readonly #routes: Route[] = [];
  readonly #onRequest: Handler[] = [];
  readonly #preHandler: Handler[] = [];
  readonly #onSend: PayloadHook[] = [];
  #parse: BodyParser = (_request, body, done) => done(null, JSON.parse(body));
  #onError: ErrorHandler = (error) => {
    throw error;
  };
  #onUnknownRoute: Handler = () => undefined;

  /** The server as the emulator's modules know it. */
  asFastify(prefix = ''): FastifyInstance {
    const add =
      (method: string) =>
      (path: string, ...rest: unknown[]) => {
        const handle = rest.at(-1) as Handler;
        const [options] = rest as [{ config?: object }];
        const segments = `${prefix}${path}`.split('/');
        this.#routes.push({ method, segments, config: options.config ?? {}, handle });
      };
    const hooks = { onRequest: this.#onRequest, preHandler: this.#preHandler, onSend: this.#onSend };
    const server = {
      get: add('GET'),
      post: add('POST'),
      patch: add('PATCH'),
      delete: add('DELETE'),
      addHook: (name: HookName, hook: Handler & PayloadHook) => {
        hooks[name].push(hook);
      },
      setErrorHandler: (handler: ErrorHandler) => {
        this.#onError = handler;
      },
      setNotFoundHandler: (handler: Handler) => {
        this.#onUnknownRoute = handler;
      },
      removeAllContentTypeParsers: () => undefined,
      addContentTypeParser: (type: string, _options: object, parse: BodyParser) => {
        if (type === 'application/json') this.#parse = parse;
      },
    };
    // The emulator's modules use nothing else of it.
    return server as unknown as FastifyInstance;
  }

  async handle({ method, url, headers, body, onWork }: ServerRequest): Promise<Served> {
    this.#requests += 1;
    const [path = '', query = ''] = url.split('?');
    const segments = path.split('/');
    const route = this.#routes.find((each) => each.method === method && matches(each, segments));
    const socket = { destroyed: false, destroy: () => Object.assign(socket, { destroyed: true }) };
    const request: ServedRequest = {
      id: `request-${this.#requests}`,
      method,
      url,
      headers,
      params: route ? paramsOf(route, segments) : {},
      query: query ? Object.fromEntries(new URLSearchParams(query)) : {},
      body: undefined,
      raw: { socket },
      routeOptions: { config: route?.config ?? {} },
    };
    const reply = new InProcessReply();
    await this.#respond(request, reply, route, body, onWork);
    if (reply.isHijacked) return { kind: 'lost' };
    let payload = reply.serialized;
    for (const hook of this.#onSend) payload = await hook(request, reply, payload);
    if (socket.destroyed) return { kind: 'lost' };
    return reply.toServed(payload);
  }

  async #respond(
    request: ServedRequest,
    reply: InProcessReply,
    route: Route | undefined,
    body: string | undefined,
    onWork: NonNullable<ServerRequest['onWork']> = (work) => work(),
  ): Promise<void> {
    try {
      reply.header('x-request-id', request.id);
      for (const hook of this.#onRequest) await hook(request, reply);
      if (body !== undefined) request.body = this.#parseBody(request, body);
      for (const hook of this.#preHandler) {
        await hook(request, reply);
        if (reply.isHijacked || reply.isSent) return;
      }
      const result = await onWork(() => (route?.handle ?? this.#onUnknownRoute)(request, reply));
      if (!reply.isSent) reply.send(result);
    } catch (error) {
      this.#onError(error, request, reply);
    }
  }

  #parseBody(request: ServedRequest, body: string): unknown {
    let parsed: unknown;
    this.#parse(request, body, (error, value) => {
      if (error) throw error;
      parsed = value;
    });
    return parsed;
  }
}

function matches({ segments }: Route, given: readonly string[]): boolean {
  if (given.length !== segments.length) return false;
  return segments.every((segment, index) => segment === given[index] || segment.startsWith(':'));
}

function paramsOf({ segments }: Route, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries())
    if (segment.startsWith(':')) params[segment.slice(1)] = decodeURIComponent(given[index] ?? '');
  return params;
}
