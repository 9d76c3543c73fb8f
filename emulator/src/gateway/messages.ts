import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { protocolViolation } from './connection-refusal';

/** Kinds of an authentication request, the message of type R. */
export const AUTHENTICATION = { clearPassword: 3, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;

/** Longer than any message of a login. */
const LONGEST_MESSAGE = 10_000;

export interface Message {
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** The next bytes, exactly so many. @throws the reason of the signal if that aborts before they came */
export async function takeBytes(stream: Readable, length: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let missing = length;
  while (missing > 0) {
    signal.throwIfAborted();
    // Always all that is there: "readable" is emitted at once, again and again, while something is left.
    const chunk: Buffer | null = stream.read();
    if (chunk === null) await once(stream, 'readable', { signal }).catch(() => signal.throwIfAborted());
    else chunks.push(chunk);
    missing -= chunk?.length ?? 0;
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > length) stream.unshift(bytes.subarray(length));
  return bytes.subarray(0, length);
}

/** The next message. @throws ConnectionRefusal if it is too long; the reason of the signal if that aborts */
export async function readMessage(stream: Readable, signal: AbortSignal): Promise<Message> {
  const head = await takeBytes(stream, 5, signal);
  const length = head.readInt32BE(1);
  if (length < 4 || length > LONGEST_MESSAGE) throw protocolViolation('invalid message length');
  const body = await takeBytes(stream, length - 4, signal);
  return { type: head.toString('latin1', 0, 1), body, bytes: Buffer.concat([head, body]) };
}

export function writeMessage(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
