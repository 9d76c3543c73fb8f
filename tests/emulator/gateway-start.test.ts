import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSocket, openTls } from '../support/raw-postgres-client';
import { HOST, OneCompute, startTestGateway } from '../support/start-gateway';
import { listFiles, makeTemporaryFolder } from '../support/temporary-folder';

const computes = new OneCompute('/nowhere');

/** Takes a port, unless another program has it. */
async function takePort(port: number, host: string): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  const taken = new Promise<number>((resolve) => server.once('error', () => resolve(port)));
  const listening = once(server.listen(port, host), 'listening').then(
    () => (server.address() as AddressInfo).port,
  );
  return Promise.any([listening, taken]);
}

it.each(['127.0.0.1', '::1', 'localhost'])('listens on both loopback addresses for %s', async (host) => {
  const { port } = await startTestGateway(computes, { host });
  expect((await openSocket(port, '127.0.0.1')).remotePort).toBe(port);
  expect((await openSocket(port, '::1')).remotePort).toBe(port);
});

it.each(['127.0.0.1', '::1'])('chooses another port when 5432 of %s is taken', async (host) => {
  await takePort(5432, host);
  const { port } = await startTestGateway(computes, { port: undefined });
  expect(port).not.toBe(5432);
});

it.each(['127.0.0.1', '::1'])('does not start when the given port of %s is taken', async (host) => {
  const port = await takePort(0, host);
  await expect(startTestGateway(computes, { port })).rejects.toThrow(
    `port ${port} of ${host} is taken: stop what listens on it, or let the emulator choose a free one with --postgres-port 0`,
  );
  const other = createServer().listen(port, host === '::1' ? '127.0.0.1' : '::1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
});

it('keeps its certificate, whose key only the user can read', async () => {
  const folder = makeTemporaryFolder();
  const { certificateFile } = await startTestGateway(computes, { folder });
  const before = readFileSync(certificateFile, 'utf8');
  const again = await startTestGateway(computes, { folder });
  expect(listFiles(folder)).toEqual(['certificate.pem', 'key.pem']);
  expect(statSync(join(folder, 'key.pem')).mode & 0o777).toBe(0o600);
  const tls = await openTls(again.port, { servername: HOST });
  expect(tls.getPeerCertificate().raw).toEqual(new X509Certificate(before).raw);
});

it.each(['certificate.pem', 'key.pem'])(
  'does not start with a damaged %s, and names the files',
  async (name) => {
    const folder = makeTemporaryFolder();
    await startTestGateway(computes, { folder });
    writeFileSync(join(folder, name), 'damaged');
    await expect(startTestGateway(computes, { folder })).rejects.toThrow(
      /certificate\.pem and .*key\.pem .* delete both/,
    );
  },
);
