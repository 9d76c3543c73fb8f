import { onTestFinished } from 'vitest';
import type { Computes } from '../../emulator/src/gateway/computes';
import { ConnectionRefusal } from '../../emulator/src/gateway/connection-refusal';
import { type Gateway, type GatewayOptions, startGateway } from '../../emulator/src/gateway/gateway';
import { makeMockVerifier, makeVerifier, parseVerifier } from '../../emulator/src/gateway/scram';
import { makeTemporaryFolder } from './temporary-folder';

export const ENDPOINT = 'ep-calm-river-12345678';
export const HOST = `${ENDPOINT}.local-east-1.postgres.localhost`;

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

  hasHosts(domain: string): boolean {
    return ['local-east-1', 'eu-west-3'].some((region) => domain === `${region}.postgres.localhost`);
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
