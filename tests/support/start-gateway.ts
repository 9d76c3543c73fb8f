import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Computes } from '../../emulator/src/gateway/computes';
import { ConnectionRefusal } from '../../emulator/src/gateway/connection-refusal';
import {
  type Gateway,
  type GatewayLimits,
  type GatewayOptions,
  startGateway,
} from '../../emulator/src/gateway/gateway';
import { makeMockVerifier, makeVerifier, parseVerifier } from '../../emulator/src/gateway/scram';
import { makeTemporaryFolder } from './temporary-folder';

export const ENDPOINT = 'ep-calm-river-12345678';
export const HOST = `${ENDPOINT}.postgres.localhost`;

const salt = Buffer.from('salt of the test');
/** What Postgres stores of the password `secret`. */
export const storedPassword = makeVerifier('secret', salt);

/** The computes of one endpoint, with the role `app`, whose server is already running; and what the gateway told them. */
export class OneCompute implements Computes {
  clients = 0;
  messages = 0;
  readonly cuts: (() => void)[] = [];
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async verifier(endpointId: string, role: string) {
    await this.reach(endpointId);
    const known = role === 'app' ? parseVerifier(await storedPassword) : undefined;
    return known ?? makeMockVerifier(salt);
  }

  async reach(endpointId: string): Promise<string> {
    if (endpointId === ENDPOINT) return this.#socket;
    throw new ConnectionRefusal('08004', `endpoint ${endpointId} does not exist`);
  }

  attach(_endpointId: string, cut: () => void) {
    this.clients += 1;
    this.cuts.push(cut);
    return {
      traffic: () => {
        this.messages += 1;
      },
      close: () => {
        this.clients -= 1;
      },
    };
  }
}

/** A gateway on a free port, which is stopped after the test. */
export async function startTestGateway(
  computes: Computes,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const gateway = await startGateway({ computes, port: 0, folder: makeTemporaryFolder(), ...options });
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** A server that does with a connection what the test needs: a Postgres never would. */
export async function startServer(handle: (socket: Socket) => void) {
  const path = join(makeTemporaryFolder(), 'socket');
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    handle(socket);
  });
  await once(server.listen(path), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { path, sockets };
}

/** AuthenticationOk and BackendKeyData. */
export const LET_IN = 'R\0\0\0\x08\0\0\0\0K\0\0\0\x0cidkey...';
/** Lets everyone in. */
export const readToEnd = (socket: Socket) => {
  socket.resume().once('end', () => socket.end());
  socket.write(LET_IN);
};

/** A gateway to such a server. @default one that lets everyone in and only reads */
export async function startGatewayTo(limits: Partial<GatewayLimits> = {}, handle = readToEnd) {
  const { path, sockets } = await startServer(handle);
  const computes = new OneCompute(path);
  const gateway = await startTestGateway(computes, { limits });
  return { computes, gateway, port: gateway.port, sockets };
}
