import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openSocket, openTls, packet, readRefusal, startPacket } from '../support/raw-postgres-client';
import { answer, logIn, readChallenge, saslFinal, saslInitial, VALID } from '../support/scram-client';
import { ENDPOINT, HOST, startGatewayTo } from '../support/start-gateway';

describe('a login', () => {
  const first = 'n,,n=,r=nonce';
  const plain = (text: string) => saslInitial('SCRAM-SHA-256', text);

  it.each([
    ['a query', Buffer.from('Q\0\0\0\x0dSELECT 1\0'), '08P01'],
    ['a password in clear', answer('secret\0'), '08P01'],
    ['another mechanism', saslInitial('SCRAM-SHA-1', first), '08P01'],
    [
      'a mechanism that was not offered',
      saslInitial('SCRAM-SHA-256-PLUS', `p=tls-server-end-point,,n=,r=x`),
      '08P01',
    ],
    ['channel binding with the plain mechanism', plain('p=tls-server-end-point,,n=,r=x'), '08P01'],
    ['a name to act as', plain('n,a=eve,n=,r=x'), '0A000'],
    ['no nonce', plain('n,,n=,r='), '08P01'],
    ['an extension', plain('n,,m=x,n=,r=x'), '08P01'],
    ['an empty message', answer(''), '08P01'],
    ['a length that is too short', Buffer.from('p\0\0\0\x03'), '08P01'],
    ['a length of 2 GB', Buffer.from('p\x7f\xff\xff\xff', 'latin1'), '08P01'],
    ['a length of the text that is wrong', answer('SCRAM-SHA-256\0', '\0\0\0\xff', first), '08P01'],
  ])('refuses %s', async (_what, bytes, sqlState) => {
    const { port, sockets } = await startGatewayTo();
    const socket = await openSocket(port);
    socket.write(Buffer.concat([VALID, bytes]));
    expect(await readRefusal(socket)).toMatch(new RegExp(`^FATAL ${sqlState}: .`));
    expect(sockets.size).toBe(0);
  });

  it.each([
    ['a proof for another nonce', (final: string) => final.replace(',r=nonce', ',r=other'), '08P01'],
    ['a proof that is too short', (final: string) => final.replace(/p=.*/, 'p=AAAA'), '28P01'],
    ['no proof', (final: string) => final.replace(/,p=.*/, ''), '08P01'],
    ['another channel binding', (final: string) => final.replace('c=biws', 'c=eSws'), '28000'],
  ])('refuses %s', async (_what, change, sqlState) => {
    const { port, sockets } = await startGatewayTo();
    const socket = await openSocket(port);
    socket.write(VALID);
    await once(socket, 'data');
    socket.write(plain(first));
    const challenge = await readChallenge(socket);
    socket.write(answer(change(saslFinal('n=,r=nonce', challenge))));
    expect(await readRefusal(socket)).toMatch(new RegExp(`^FATAL ${sqlState}: .`));
    expect(sockets.size).toBe(0);
  });

  it('refuses the proof of another login', async () => {
    const { port, sockets } = await startGatewayTo();
    const proof = await logIn(await openSocket(port));
    await expect.poll(() => sockets.size).toBe(1);
    const socket = await openSocket(port);
    socket.write(Buffer.concat([VALID, plain(first)]));
    await once(socket, 'data');
    socket.write(proof);
    expect(await readRefusal(socket)).toMatch(/^FATAL 08P01: .*nonce/);
    expect(sockets.size).toBe(1);
  });

  it('refuses a client whose channel binding was stripped, over TLS', async () => {
    const { port } = await startGatewayTo();
    const tls = await openTls(port, { servername: HOST });
    tls.write(Buffer.concat([startPacket({ user: 'app' }), plain('y,,n=,r=x')]));
    expect(await readRefusal(tls)).toMatch(/^FATAL 28000: SCRAM channel binding negotiation error/);
  });

  it('refuses a proof that is bound to another TLS connection', async () => {
    const { port } = await startGatewayTo();
    const tls = await openTls(port, { servername: HOST });
    const header = 'p=tls-server-end-point,,';
    tls.write(startPacket({ user: 'app' }));
    await once(tls, 'data');
    tls.write(saslInitial('SCRAM-SHA-256-PLUS', `${header}n=,r=nonce`));
    const binding = Buffer.concat([Buffer.from(header), randomBytes(32)]).toString('base64');
    tls.write(answer(saslFinal('n=,r=nonce', await readChallenge(tls), 'secret', binding)));
    expect(await readRefusal(tls)).toMatch(/^FATAL 28000: SCRAM channel binding check failed/);
  });

  it('answers a later protocol with 3.0', async () => {
    const { port } = await startGatewayTo();
    const socket = await openSocket(port);
    socket.write(
      packet((3 << 16) + 2, Buffer.from(`user\0app\0_pq_.x\0y\0options\0endpoint=${ENDPOINT}\0\0`)),
    );
    const [bytes] = await once(socket, 'data');
    expect(bytes.toString('latin1', 0, 20)).toBe('v\0\0\0\x13\0\x03\0\0\0\0\0\x01_pq_.x\0');
  });
});
