import { errorCodes, type FastifyInstance } from 'fastify';
import { badRequest } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';

const DEEPEST_BODY = 32;
/** Each entry that is wrong costs time, and Postgres needs minutes for 50,000 settings. It has about 400. */
const MOST_ENTRIES = 1000;

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
    const excess = excessOf(value, DEEPEST_BODY);
    if (excess === undefined) return done(null, value);
    done(badRequest(`${request.method} ${request.url}: the body ${excess}`));
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

/** Recurses at most `levels` deep, so that no body can exhaust the stack, here or when it is copied or serialized later. */
function excessOf(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `is nested deeper than ${DEEPEST_BODY} levels`;
  const entries = Object.values(value);
  if (entries.length > MOST_ENTRIES) return `has a list or an object of more than ${MOST_ENTRIES} entries`;
  for (const entry of entries) {
    const excess = excessOf(entry, levels - 1);
    if (excess !== undefined) return excess;
  }
  return undefined;
}
