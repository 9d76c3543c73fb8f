import { createHash } from 'node:crypto';
import type { ClientConnection } from './client-connection';
import type { Computes } from './computes';
import { ConnectionRefusal, protocolViolation } from './connection-refusal';
import { AUTHENTICATION, int32, readMessage, writeMessage } from './messages';
import { answerScram, checkPassword, SCRAM, SCRAM_PLUS, type ScramVerifier } from './scram';
import { checkEndpointId, noEndpoint, type StartupPacket } from './startup-packet';
import type { Turns } from './turns';

/** A password, after the ID of an endpoint: for clients that can name it nowhere else. */
const ENDPOINT_IN_PASSWORD = /^(?:endpoint|project)=([^;$]*)[;$](.*)$/s;
/** A role can choose the number for itself, and in clear the work is the gateway's: about 50 ms. */
const MOST_ITERATIONS = 100_000;
/** The client keys of passwords that were right: who has proved one does not wait for the many who guess. By a hash. */
const provenKeys = new Map<string, Buffer>();
const MOST_PROVEN = 1000;

/**
 * Lets the client prove itself, before any compute wakes: with SCRAM, so that the gateway never sees the password, or with
 * the password in clear where the service asks for that, in a tunnel or for the name of the endpoint.
 * @throws ConnectionRefusal when it cannot
 */
export async function authenticate(
  client: ClientConnection,
  { endpointId, user }: StartupPacket,
  computes: Computes,
  turns: Turns,
  longestMs: number,
): Promise<{ endpointId: string; clientKey: Buffer }> {
  if (client.isTunnel || endpointId === undefined) {
    if (!client.isTunnel && !client.isEncrypted) throw noEndpoint();
    const given = await client.inTime(longestMs, 'login', readPassword(client));
    const [, named, rest] = (endpointId === undefined && ENDPOINT_IN_PASSWORD.exec(given)) || [];
    const id = endpointId ?? checkEndpointId(named);
    const verifier = await computes.verifier(id, user);
    if (verifier.iterations > MOST_ITERATIONS) {
      throw new ConnectionRefusal(
        '0A000',
        `a password with ${verifier.iterations} iterations needs SCRAM, not the password in clear`,
      );
    }
    const password = rest ?? given;
    const name = createHash('sha256').update(verifier.storedKey).update(password).digest('base64');
    const check = async (): Promise<Buffer | undefined> => {
      client.signal.throwIfAborted();
      return checkPassword(password, verifier);
    };
    const proven = prove(id, user, provenKeys.get(name) ?? (await turns.take(id, check)));
    if (provenKeys.size >= MOST_PROVEN) provenKeys.clear();
    provenKeys.set(name, proven.clientKey);
    return proven;
  }
  const verifier = await computes.verifier(endpointId, user);
  return prove(endpointId, user, await client.inTime(longestMs, 'login', exchange(client, verifier)));
}

/** With the key, the gateway proves to the server what the client has proved. */
function prove(endpointId: string, user: string, clientKey: Buffer | undefined) {
  if (clientKey !== undefined) return { endpointId, clientKey };
  throw new ConnectionRefusal('28P01', `password authentication failed for user "${user}"`);
}

async function readPassword(client: ClientConnection): Promise<string> {
  request(client, AUTHENTICATION.clearPassword);
  const body = await readAnswer(client);
  if (body.at(-1) !== 0) throw protocolViolation('invalid password packet');
  return body.toString('utf8', 0, body.length - 1);
}

async function exchange(client: ClientConnection, verifier: ScramVerifier): Promise<Buffer | undefined> {
  const { channelBinding } = client;
  const mechanisms = channelBinding === undefined ? [SCRAM] : [SCRAM_PLUS, SCRAM];
  request(client, AUTHENTICATION.sasl, ...mechanisms.map((name) => `${name}\0`), '\0');
  const initial = await readAnswer(client);
  const end = initial.indexOf(0);
  // After the name come the length of the message, and the message.
  if (end < 0 || initial.length < end + 5 || initial.readInt32BE(end + 1) !== initial.length - end - 5) {
    throw protocolViolation('invalid SASL response');
  }
  const [name, first] = [initial.toString('latin1', 0, end), initial.toString('utf8', end + 5)];
  const scram = answerScram(verifier, name, first, channelBinding);
  request(client, AUTHENTICATION.saslContinue, scram.serverFirst);
  const outcome = scram.finish((await readAnswer(client)).toString('utf8'));
  if (outcome !== undefined) request(client, AUTHENTICATION.saslFinal, outcome.serverFinal);
  return outcome?.clientKey;
}

function request({ stream }: ClientConnection, kind: number, ...parts: readonly string[]): void {
  stream.write(writeMessage('R', int32(kind), ...parts));
}

async function readAnswer({ stream, signal }: ClientConnection): Promise<Buffer> {
  const { type, body } = await readMessage(stream, signal);
  if (type !== 'p')
    throw protocolViolation(`expected a password or SASL response, got message type "${type}"`);
  return body;
}
