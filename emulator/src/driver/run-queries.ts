import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Query as PostgresQuery, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { z } from 'zod';
import { badRequest } from '../records/api-error';
import { parse } from '../validation/parse';
import { LARGEST, SMALL, type SqlSession, tooLarge } from './sql-session';

const QUERY = z.object({
  query: z.string('a string'),
  params: z.array(z.unknown(), 'an array').default([]),
  arrayMode: z.boolean('a boolean').optional(),
});
const BATCH = z.object({ queries: z.array(z.unknown(), 'an array') });
type Query = z.infer<typeof QUERY>;

const ISOLATION_LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
]);

/** The text of a response so far. A name is in every row, so it can be many times as long as what Postgres has sent. */
interface Written {
  length: number;
}

/** The driver parses every value itself. */
const asText = { getTypeParser: () => (text: string) => text };

/**
 * Runs the query, or the queries in a transaction, of a request to `/sql`.
 * @returns the response as JSON
 * @throws DatabaseError from Postgres; ApiError for any other request
 */
export async function runQueries(
  session: SqlSession,
  headers: IncomingHttpHeaders,
  body: unknown,
): Promise<string> {
  const { client } = session;
  const inArrays = headers['neon-array-mode'] === 'true';
  const isBatch = Object(body).queries !== undefined;
  const queries = isBatch ? parse(BATCH, body).queries : [body];
  const begin = `BEGIN${transactionMode(headers)}`;
  if (isBatch) await client.query(begin);
  const results = [];
  const written: Written = { length: 0 };
  for (const query of queries) results.push(await run(session, parse(QUERY, query), inArrays, written));
  if (!isBatch) return results.join();
  await client.query('COMMIT');
  return `{"results":[${results.join()}]}`;
}

/** Rows become text as they arrive: all of them at once would take long, and as objects much memory. */
async function run(
  { client, waitForTurn }: SqlSession,
  { query, params, arrayMode }: Query,
  inArrays: boolean,
  written: Written,
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
  const running = new PostgresQuery<string[]>(config);
  // It can report a second one: the end of its session.
  running.on('error', () => undefined);
  running.on('row', (row, result) => {
    const named = () =>
      Object.fromEntries((result?.fields ?? []).map(({ name }, index) => [name, row[index]]));
    const write = (): void => {
      if (written.length > LARGEST) return;
      const text = JSON.stringify(rowAsArray ? row : named());
      written.length += text.length;
      rows.push(text);
    };
    if (written.length > SMALL) void waitForTurn().then(write);
    else write();
  });
  // Values that cannot be text are an error at once.
  const ended = once(running, 'end');
  client.query(running);
  // The event has one argument, the result without its rows.
  const [result] = (await ended) as [QueryArrayResult];
  const { fields, command, rowCount } = result;
  const head = JSON.stringify({ fields, command, rowCount, rowAsArray });
  written.length += head.length;
  if (written.length > SMALL) await waitForTurn();
  if (written.length > LARGEST) throw tooLarge();
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
