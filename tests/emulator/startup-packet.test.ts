import { array, assert, constantFrom, oneof, property, string, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionRefusal } from '../../emulator/src/gateway/connection-refusal';
import { readStartupPacket, SUPERUSER } from '../../emulator/src/gateway/startup-packet';
import { CODES, packet, startPacket } from '../support/raw-postgres-client';

const ID = 'ep-calm-river-12345678';

/** The packet that reaches the server. */
const withoutLibraries = (parameters: Readonly<Record<string, string>>) =>
  startPacket({ local_preload_libraries: '', ...parameters });

/** The value of `options` that reaches the server; undefined if none does. */
function passOptions(options: string): string | undefined {
  const words = readStartupPacket(startPacket({ user: 'app', options }), undefined)
    .bytes.toString('latin1')
    .split('\0');
  const at = words.indexOf('options');
  return at < 0 ? undefined : words[at + 1];
}

describe('the option endpoint', () => {
  it.each([
    [`endpoint=${ID}`, undefined],
    [`project=${ID}`, undefined],
    [`-c endpoint=${ID}`, undefined],
    [`-cendpoint=${ID}`, undefined],
    [`--endpoint=${ID}`, undefined],
    [`  endpoint=${ID}-pooler  `, undefined],
    [`endpoint=${ID} -c work_mem=3MB`, '-cwork_mem=3MB'],
    [`-c a.b=x\\ endpoint=y endpoint=${ID}`, '-ca.b=x\\ endpoint=y'],
    [`-c a.b=\xa0 endpoint=${ID}`, '-ca.b=\xc2\xa0'],
  ])('of %j leaves %j for the server', (options, rest) => {
    expect(passOptions(options)).toBe(rest);
    expect(readStartupPacket(startPacket({ user: 'app', options }), undefined).endpointId).toBe(ID);
  });

  it.each([
    [`${ID}.eu-west-3.postgres.localhost`],
    [`${ID}-pooler.eu-west-3.postgres.localhost`],
    [ID.toUpperCase()],
  ])('is not needed with the host name %s', (serverName) => {
    const bytes = startPacket({ user: 'app', options: ' -c  work_mem=3MB' });
    const passed = withoutLibraries({ user: 'app', options: ' -c  work_mem=3MB' });
    expect(readStartupPacket(bytes, serverName)).toMatchObject({
      endpointId: ID,
      user: 'app',
      bytes: passed,
    });
  });
});

it('passes every other parameter unchanged', () => {
  const words = oneof(string({ minLength: 1 }), constantFrom('options', 'database', 'é', ' '));
  assert(
    property(array(words.filter((word) => !word.includes('\0'))), (values) => {
      const parameters = Object.fromEntries(values.map((value, index) => [`name${index}`, value]));
      const bytes = startPacket({ ...parameters, user: 'app' });
      expect(readStartupPacket(bytes, ID).bytes).toEqual(withoutLibraries({ ...parameters, user: 'app' }));
    }),
  );
});

it('takes the last value of a repeated parameter, as Postgres does', () => {
  const bytes = packet(CODES.version3, 'user\0first\0user\0app\0\0');
  expect(readStartupPacket(bytes, ID).user).toBe('app');
});

it('refuses any other bytes with a Postgres error', () => {
  const anyBytes = uint8Array({ maxLength: 200 });
  assert(
    property(anyBytes, (bytes) => {
      const read = () => readStartupPacket(packet(CODES.version3, Buffer.from(bytes)), undefined);
      expect(read).toThrow(ConnectionRefusal);
    }),
  );
});

it.each([
  { user: SUPERUSER },
  { user: 'app', replication: 'true' },
  { user: 'app', replication: 'database' },
  { user: 'app', replication: '1' },
])('refuses %j', (parameters) => {
  expect(() => readStartupPacket(startPacket(parameters), ID)).toThrow(ConnectionRefusal);
});

it.each(['false', 'off', 'no', '0'])(
  'a client may say that it does not want replication: %s',
  (replication) => {
    expect(readStartupPacket(startPacket({ user: 'app', replication }), ID).endpointId).toBe(ID);
  },
);
