import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Client, type QueryArrayConfig } from 'pg';
import { z } from 'zod';
import { int32 } from '../gateway/messages';
import { endpointOfHost, REQUEST_CODES } from '../gateway/startup-packet';
import { ApiError, badRequest } from '../records/api-error';
import { parse } from '../validation/parse';

const QUERY = z.object({
  query: z.string('a string'),
  params: z.array(z.unknown(), 'an array').default([]),
  arrayMode: z.boolean('a boolean').optional(),
});
const BATCH = z.object({ queries: z.array(QUERY, 'an array') });
type Query = z.infer<typeof QUERY>;

const ISOLATION_LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
]);

/** The driver parses every value itself. */
const asText = { getTypeParser: () => (text: string) => text };

/** The limit of a body, of the results of a request, and of a WebSocket message, in bytes. As in the service. */
export const LARGEST = 10 * 1024 * 1024;

/**
 * Logs in for a request to `/sql`. The session ends with the request.
 * @param socket the request's, whose own address is the gateway's
 * @throws DatabaseError from Postgres or the gateway; ApiError for a request that is not served
 */
export async function openSession(headers: IncomingHttpHeaders, socket: Socket): Promise<Client> {
  if (headers['neon-raw-text-output'] !== 'true') {
    throw notServed('only values as text are served: send Neon-Raw-Text-Output: true');
  }
  if (headers.authorization !== undefined) throw notServed('authToken is not served: use a password');
  const gateway = gatewayOf(socket);
  const client = new Client({ ...connectionOf(headers['neon-connection-string']), ...gateway });
  client.on('error', () => undefined); // The query under way fails, too.
  await client.connect();
  const leave = (): void => {
    cancel(client, gateway);
    void client.end();
  };
  socket.once('close', leave);
  client.once('end', () => socket.off('close', leave));
  limitResults(client);
  if (socket.destroyed) leave();
  return client;
}

/** The library keeps all results in memory, and a value that is too long for a string would end the process. */
function limitResults(client: Client): void {
  // Type definitions do not have it.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let received = 0;
  stream.on('data', ({ length }: Buffer) => {
    received += length;
    const tooLarge = `response is too large (max is ${LARGEST} bytes)`;
    if (received > LARGEST) stream.destroy(new ApiError(507, 'RESPONSE_TOO_LARGE', tooLarge));
  });
}

/**
 * Runs the query, or the queries in a transaction, of a request to `/sql`.
 * @throws DatabaseError from Postgres; ApiError for any other request
 */
export async function runQueries(
  client: Client,
  headers: IncomingHttpHeaders,
  body: unknown,
): Promise<object> {
  const inArrays = headers['neon-array-mode'] === 'true';
  const isBatch = Object(body).queries !== undefined;
  const queries = isBatch ? parse(BATCH, body).queries : [parse(QUERY, body)];
  const begin = `BEGIN${transactionMode(headers)}`;
  if (isBatch) await client.query(begin);
  const results = [];
  for (const query of queries) results.push(await run(client, query, inArrays));
  if (!isBatch) return results[0] ?? {};
  await client.query('COMMIT');
  return { results };
}

/** Whoever asked has gone: its query ends, as in the service. */
function cancel(client: Client, { host, port }: ReturnType<typeof gatewayOf>): void {
  // Type definitions do not have them.
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const packet = Buffer.concat([16, REQUEST_CODES.cancel, processID, secretKey].map(int32));
  connect({ host, port })
    .on('error', () => undefined)
    .end(packet);
}

const notServed = (message: string) => new ApiError(501, 'NOT_SERVED', message);

async function run(client: Client, { query, params, arrayMode }: Query, inArrays: boolean): Promise<object> {
  const rowAsArray = arrayMode ?? inArrays;
  // An empty list, too, makes it one statement, as in the service.
  const config: QueryArrayConfig & { queryMode: string } = {
    text: query,
    values: params,
    types: asText,
    rowMode: 'array',
    queryMode: 'extended',
  };
  const { fields, rows, command, rowCount } = await client.query<string[]>(config);
  const named = (row: string[]) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index]]));
  return { fields, rows: rowAsArray ? rows : rows.map(named), command, rowCount, rowAsArray };
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

function connectionOf(header: string | string[] | undefined) {
  try {
    if (!/^postgres(ql)?:/.test(String(header))) throw new Error('another scheme');
    const url = new URL(String(header));
    // For what is missing, the library takes the login of whoever runs the emulator: PGPASSWORD or a file.
    if (!url.username || !url.password || url.pathname.length < 2) throw new Error('no complete login');
    const { searchParams } = url;
    const id = endpointOfHost(url.hostname);
    return {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)),
      // Of two, the last counts.
      options: `${id === undefined ? '' : `endpoint=${id}`} ${searchParams.get('options') ?? ''}`,
      application_name: searchParams.get('application_name') ?? undefined,
    };
  } catch {
    throw badRequest(
      'the header Neon-Connection-String must be a connection URI of Postgres, with a role, a password and a database',
    );
  }
}

function gatewayOf({ localAddress = '', localPort = 0 }: Socket) {
  return { host: localAddress, port: localPort, ssl: false };
}
