import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../control-plane/control-plane';
import { ApiError } from '../records/api-error';
import { isPublicPage } from './console-guard';

/** Rejects requests without the key (401). */
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
