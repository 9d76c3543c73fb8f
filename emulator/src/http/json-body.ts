import type { FastifyInstance } from 'fastify';
import { badRequest, unsupportedMediaType } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';

const DEEPEST_BODY = 32;

/** Parses JSON bodies. An empty body counts as absent for any content type, because clients differ in the type that they send. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    let value: unknown;
    try {
      value = JSON.parse(String(body));
    } catch (error) {
      return done(
        badRequest(`${request.method} ${request.url}: the body is not valid JSON: ${reasonOf(error)}`),
      );
    }
    if (!isNestedDeeper(value, DEEPEST_BODY)) return done(null, value);
    done(
      badRequest(`${request.method} ${request.url}: the body is nested deeper than ${DEEPEST_BODY} levels`),
    );
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    done(unsupportedMediaType(`${request.method} ${request.url}`));
  });
}

/** Recurses at most `levels` deep, so that no body can exhaust the stack, here or when it is copied or serialized later. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isNestedDeeper(item, levels - 1));
}
