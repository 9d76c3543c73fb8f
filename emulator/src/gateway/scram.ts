import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ConnectionRefusal, protocolViolation } from './connection-refusal';

/** What a server stores of a password. It proves nothing by itself: only the password leads to a client key. */
export interface ScramVerifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

export const SCRAM = 'SCRAM-SHA-256';
export const SCRAM_PLUS = 'SCRAM-SHA-256-PLUS';

const ITERATIONS = 4096;
const NONCE_LENGTH = 18;
const STORED = /^SCRAM-SHA-256\$(\d+):([^$:]+)\$([^$:]+):([^$:]+)$/;
/** Channel binding (n: not supported by the client, y: not by the server, p: its type), and the name to act as. */
const CLIENT_FIRST = /^((n|y|p=([^,]*)),([^,]*),)(n=[^,]*,r=([!-+\--~]+))$/;
const CLIENT_FINAL = /^(c=([^,]*),r=([^,]*)),p=([^,]*)$/;
const SERVER_FIRST = /^r=([^,]+),s=[^,]+,i=\d+$/;

const derive = promisify(pbkdf2);
const hash = (data: Buffer): Buffer => createHash('sha256').update(data).digest();
const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encode = (data: Buffer): string => data.toString('base64');
const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
const xor = (one: Buffer, other: Buffer): Buffer =>
  one.map((byte, index) => byte ^ (other[index] ?? 0)) as Buffer;
const makeNonce = (): string => encode(randomBytes(NONCE_LENGTH));

/** Reads what Postgres stores in pg_authid; undefined for a password in another form. */
export function parseVerifier(stored: string): ScramVerifier | undefined {
  const [, iterations, salt, storedKey, serverKey] = STORED.exec(stored) ?? [];
  if (iterations === undefined) return undefined;
  return {
    iterations: Number(iterations),
    salt: decode(salt),
    storedKey: decode(storedKey),
    serverKey: decode(serverKey),
  };
}

/** Postgres takes such a text for the password of a role, and stores it. */
export async function makeVerifier(password: string, salt: Buffer): Promise<string> {
  const { clientKey, serverKey } = await deriveKeys(password, { iterations: ITERATIONS, salt });
  return `${SCRAM}$${ITERATIONS}:${encode(salt)}$${encode(hash(clientKey))}:${encode(serverKey)}`;
}

/** A verifier that no password matches, for a role that has none: its salt is always the same, as that of any role. */
export function makeMockVerifier(salt: Buffer): ScramVerifier {
  return { iterations: ITERATIONS, salt, storedKey: randomBytes(32), serverKey: randomBytes(32) };
}

export async function checkPassword(password: string, verifier: ScramVerifier): Promise<Buffer | undefined> {
  const { clientKey } = await deriveKeys(password, verifier);
  return isRight(clientKey, verifier) ? clientKey : undefined;
}

async function deriveKeys(
  password: string,
  { salt, iterations }: Pick<ScramVerifier, 'salt' | 'iterations'>,
): Promise<{ clientKey: Buffer; serverKey: Buffer }> {
  // The part of SASLprep that matters for passwords that people choose.
  const salted = await derive(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  return { clientKey: sign(salted, 'Client Key'), serverKey: sign(salted, 'Server Key') };
}

function isRight(clientKey: Buffer, { storedKey }: ScramVerifier): boolean {
  const key = hash(clientKey);
  return key.length === storedKey.length && timingSafeEqual(key, storedKey);
}

/**
 * The server's side, as in Postgres.
 * @param binding what identifies the TLS connection; undefined where the client was not offered channel binding
 * @throws ConnectionRefusal for a message that breaks the protocol, or another TLS connection than the client sees
 */
export function answerScram(
  verifier: ScramVerifier,
  mechanism: string,
  clientFirst: string,
  binding: Buffer | undefined,
): {
  serverFirst: string;
  /** Undefined if the client does not know the password. */
  finish(clientFinal: string): { clientKey: Buffer; serverFinal: string } | undefined;
} {
  const [, header = '', flag = '', type, authorization, bare, clientNonce] =
    CLIENT_FIRST.exec(clientFirst) ?? [];
  if (bare === undefined) throw malformed('the first message is not understood');
  if (authorization !== '')
    throw new ConnectionRefusal('0A000', 'client uses authorization identity, but it is not supported');
  checkBinding(mechanism, flag, type, binding);
  const nonce = `${clientNonce}${makeNonce()}`;
  const serverFirst = `r=${nonce},s=${encode(verifier.salt)},i=${verifier.iterations}`;
  const bound = type !== undefined && binding !== undefined ? binding : Buffer.alloc(0);
  const expected = encode(Buffer.concat([Buffer.from(header), bound]));
  return {
    serverFirst,
    finish: (clientFinal) => {
      const [, withoutProof, given, finalNonce, proof] = CLIENT_FINAL.exec(clientFinal) ?? [];
      if (withoutProof === undefined) throw malformed('the final message is not understood');
      if (given !== expected) throw new ConnectionRefusal('28000', 'SCRAM channel binding check failed');
      if (finalNonce !== nonce) throw malformed('the nonce does not match');
      const transcript = `${bare},${serverFirst},${withoutProof}`;
      const clientKey = xor(sign(verifier.storedKey, transcript), decode(proof));
      if (!isRight(clientKey, verifier)) return undefined;
      return { clientKey, serverFinal: `v=${encode(sign(verifier.serverKey, transcript))}` };
    },
  };
}

/** Refuses a login if something between the client and the gateway changed what either side offers. */
function checkBinding(
  mechanism: string,
  flag: string,
  type: string | undefined,
  binding: Buffer | undefined,
): void {
  const isOffered = mechanism === SCRAM || (mechanism === SCRAM_PLUS && binding !== undefined);
  if (!isOffered) throw protocolViolation('client selected an invalid SASL authentication mechanism');
  if ((mechanism === SCRAM_PLUS) !== (type !== undefined)) {
    throw malformed('the mechanism and the channel binding contradict each other');
  }
  if (type !== undefined && type !== 'tls-server-end-point') {
    throw protocolViolation('unsupported SCRAM channel-binding type');
  }
  if (flag === 'y' && binding !== undefined) {
    throw new ConnectionRefusal(
      '28000',
      'SCRAM channel binding negotiation error: the client supports SCRAM channel binding but thinks the server does not',
    );
  }
}

const malformed = (detail: string) => protocolViolation(`malformed SCRAM message: ${detail}`);

/** The client's side, with the key of a client that has proved itself. */
export function beginScram(clientKey: Buffer): { clientFirst: string; finish(serverFirst: string): string } {
  const bare = `n=,r=${makeNonce()}`;
  return {
    clientFirst: `n,,${bare}`,
    finish: (serverFirst) => {
      const withoutProof = `c=biws,r=${SERVER_FIRST.exec(serverFirst)?.[1]}`;
      const signature = sign(hash(clientKey), `${bare},${serverFirst},${withoutProof}`);
      return `${withoutProof},p=${encode(xor(clientKey, signature))}`;
    },
  };
}
