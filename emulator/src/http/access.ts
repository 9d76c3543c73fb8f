import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ControlPlane } from '../control-plane/control-plane';
import { LOOPBACK_HOST, type Settings } from '../options/emulator-options';
import { ApiError } from '../records/api-error';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route of the console: `page` is a static file without data; `data` requires the key. */
    console?: 'page' | 'data';
  }
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY.join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Register it before authorization, so that error responses of the console have the headers too. */
export function addConsoleGuard(app: FastifyInstance, settings: Settings): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.console === undefined) return;
    reply.headers(HEADERS);
    const { host } = request.headers;
    if (isKnownHost(host, settings)) return;
    throw new ApiError(
      403,
      'HOST_REFUSED',
      `the console does not accept the host ${JSON.stringify(host ?? '')}: open it as localhost, or at the address that the emulator listens on`,
    );
  });
}

/** The files of the page contain no data, so they need no key. */
export function isPublicPage(request: FastifyRequest): boolean {
  return request.routeOptions.config.console === 'page';
}

const HOST_HEADER = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i;

/**
 * Prevents DNS rebinding: a foreign page can point its own host name at this machine's address, and the browser then
 * treats the emulator as that page's origin. The Host header still contains the foreign name, never a literal address, so
 * with `allowRemote` any literal address is accepted.
 */
function isKnownHost(header: string | undefined, { host, allowRemote }: Settings): boolean {
  const [, address, plainName] = HOST_HEADER.exec(header ?? '') ?? [];
  const name = (address ?? plainName ?? '').toLowerCase();
  if (LOOPBACK_HOST.test(name) || name === host.toLowerCase()) return true;
  return allowRemote && isIP(name) !== 0;
}

export function addAuthorization(app: FastifyInstance, { settings }: ControlPlane): void {
  app.addHook('onRequest', async (request) => {
    if (isPublicPage(request) || isAuthorized(request.headers.authorization, settings.apiKey)) return;
    throw new ApiError(
      401,
      'UNAUTHORIZED',
      'the Authorization header must be "Bearer <API_KEY>" with the key of this emulator',
    );
  });
}

function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const given = Buffer.from(/^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '');
  const expected = Buffer.from(apiKey);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
