import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { type Client, Query as PostgresQuery, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { z } from 'zod';
import { badRequest } from '../records/api-error';
import { parse } from '../validation/parse';
import { LARGEST, tooLarge } from './sql-session';

/** As many as a message of Postgres can have. */
const MOST_PARAMS = 65_535;
/** In bytes. A name is in every row, so the text can be many times as long as what Postgres has sent. */
const LONGEST_RESPONSE = 10 * LARGEST;

const PARAMS = z.custom<unknown[]>(
  (value) => Array.isArray(value) && value.length <= MOST_PARAMS,
  `an array of at most ${MOST_PARAMS} values`,
);
const QUERY = z.object({
  query: z.string('a string'),
  params: PARAMS.default([]),
  arrayMode: z.boolean('a boolean').optional(),
});
/** Each query is checked in its turn: a body has room for millions. */
const BATCH = z.object({ queries: z.custom<unknown[]>(Array.isArray, 'an array') });
type Query = z.infer<typeof QUERY>;

const ISOLATION_LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
]);

/** The driver parses every value itself. */
const asText = { getTypeParser: () => (text: string) => text };

/**
 * Runs the query, or the queries in a transaction, of a request to `/sql`.
 * @returns the response as JSON
 * @throws DatabaseError from Postgres; ApiError for any other request
 */
export async function runQueries(
  client: Client,
  headers: IncomingHttpHeaders,
  body: unknown,
): Promise<string> {
  const inArrays = headers['neon-array-mode'] === 'true';
  const isBatch = Object(body).queries !== undefined;
  const queries = isBatch ? parse(BATCH, body).queries : [body];
  const begin = `BEGIN${transactionMode(headers)}`;
  if (isBatch) await client.query(begin);
  const results = [];
  let left = LONGEST_RESPONSE;
  for (const query of queries) {
    const result = await run(client, parse(QUERY, query), inArrays, left);
    left -= result.length;
    results.push(result);
  }
  if (!isBatch) return results.join();
  await client.query('COMMIT');
  return `{"results":[${results.join()}]}`;
}

/** Rows become text as they arrive: all of them at once would take long, and as objects much memory. */
async function run(
  client: Client,
  { query, params, arrayMode }: Query,
  inArrays: boolean,
  longest: number,
): Promise<string> {
  const rowAsArray = arrayMode ?? inArrays;
  // An empty list, too, makes it one statement, as in the service.
  const config: QueryArrayConfig & { queryMode: string } = {
    text: query,
    values: params,
    types: asText,
    rowMode: 'array',
    queryMode: 'extended',
  };
  const rows: string[] = [];
  let length = 0;
  const running = new PostgresQuery<string[]>(config);
  // It can report a second one: the end of its session.
  running.on('error', () => undefined);
  running.on('row', (row, result) => {
    const named = () =>
      Object.fromEntries((result?.fields ?? []).map(({ name }, index) => [name, row[index]]));
    if (length > longest) return;
    const text = JSON.stringify(rowAsArray ? row : named());
    length += text.length;
    rows.push(text);
  });
  // Values that cannot be text are an error at once.
  const ended = once(running, 'end');
  client.query(running);
  // The event has one argument, the result without its rows.
  const [result] = (await ended) as [QueryArrayResult];
  if (length > longest) throw tooLarge(LONGEST_RESPONSE);
  const { fields, command, rowCount } = result;
  const head = JSON.stringify({ fields, command, rowCount, rowAsArray });
  return `${head.slice(0, -1)},"rows":[${rows.join()}]}`;
}

function transactionMode(headers: IncomingHttpHeaders): string {
  const requested = headers['neon-batch-isolation-level'];
  const level = ISOLATION_LEVELS.get(requested);
  if (requested !== undefined && level === undefined) throw badRequest('invalid isolation level');
  return [
    level === undefined ? '' : ` ISOLATION LEVEL ${level}`,
    headers['neon-batch-read-only'] === 'true' ? ' READ ONLY' : '',
    headers['neon-batch-deferrable'] === 'true' ? ' DEFERRABLE' : '',
  ].join('');
}
