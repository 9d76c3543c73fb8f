import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startPacket } from './raw-postgres-client';
import { ENDPOINT } from './start-gateway';

/** A startup packet for the one endpoint of a test gateway. */
export const VALID = startPacket({ user: 'app', options: `endpoint=${ENDPOINT}` });

const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** A message of a client that logs in: type p. */
export function answer(...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.from('p\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The first message of the client: the mechanism, then the length of the text, and the text. */
export function saslInitial(mechanism: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(text));
  return answer(`${mechanism}\0`, length, text);
}

/** The text of the server's next message, after its kind. */
export async function readChallenge(socket: Socket): Promise<string> {
  const [chunk] = await once(socket, 'data');
  return chunk.toString('latin1', 9);
}

/** The last message of a client that knows the password. */
export function saslFinal(bare: string, challenge: string, password = 'secret', binding = 'biws'): string {
  const [, nonce, salt = '', iterations] = /r=(.*),s=(.*),i=(.*)/.exec(challenge) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
  const clientKey = sign(salted, 'Client Key');
  const withoutProof = `c=${binding},r=${nonce}`;
  const signature = sign(
    createHash('sha256').update(clientKey).digest(),
    `${bare},${challenge},${withoutProof}`,
  );
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  return `${withoutProof},p=${proof.toString('base64')}`;
}

/** Sends the startup packet and logs in, up to the proof. Returns that. */
export async function logIn(socket: Socket, password = 'secret'): Promise<Buffer> {
  socket.write(VALID);
  await once(socket, 'data');
  const bare = `n=,r=${randomBytes(12).toString('base64')}`;
  socket.write(saslInitial('SCRAM-SHA-256', `n,,${bare}`));
  const final = answer(saslFinal(bare, await readChallenge(socket), password));
  socket.write(final);
  return final;
}
