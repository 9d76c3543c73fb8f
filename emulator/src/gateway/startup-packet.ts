import { ConnectionRefusal, protocolViolation } from './connection-refusal';
import { int32, writeMessage } from './messages';

/** The superuser of every server, for the emulator only: the gateway refuses it. */
export const SUPERUSER = 'cloud_admin';

/** What a client sends first. Each packet begins with its length, which counts itself, and one of these codes. */
export const REQUEST_CODES = { ssl: 80_877_103, gss: 80_877_104, cancel: 80_877_102 } as const;

/** Lengths in bytes, as Postgres has them: of a startup packet, and of a cancel request since protocol 3.2. */
export const PACKET_LENGTHS = { start: [9, 10_000], cancel: [13, 268], request: [8, 8] } as const;

export interface StartupPacket {
  /** Undefined if neither the packet nor the host name has it; the password may. */
  readonly endpointId: string | undefined;
  readonly user: string;
  /** For a client that offers a later protocol: like the service, the gateway speaks 3.0. Otherwise empty. */
  readonly answer: Buffer;
  /** The packet for the server: without the option that names the endpoint, which Postgres does not know, but with ours. */
  readonly bytes: Buffer;
}

type Parameter = readonly [name: string, value: string];

/**
 * A client cannot connect to a database for which a library is set that does not exist, not even to reset that. No
 * library can be loaded by this setting, because Postgres comes with none for it.
 */
const OWN_PARAMETER: Parameter = ['local_preload_libraries', ''];
const NO_REPLICATION = /^(false|off|no|0)$/i;
/** Only ASCII white space ends a word: any other byte may be a part of a character. */
const OPTION_WORD = /(?:\\.|[^ \t\n\v\f\r])+/gs;
const ENDPOINT_OPTION = /^(?:-c|--)?(?:endpoint|project)=(.*)$/s;
/** Parameters that a client need not have understood. */
const PROTOCOL_EXTENSION = /^_pq_\./;
const VERSION = 3 << 16;
const POOLER = /-pooler$/;
const ENDPOINT_ID = /^ep-[a-z0-9-]{1,60}$/;

/**
 * Reads the startup packet of a client that connected with this server name, if it sent one.
 * @throws ConnectionRefusal when the packet is malformed, or asks for what clients may not have
 */
export function readStartupPacket(packet: Buffer, serverName: string | undefined): StartupPacket {
  const version = packet.subarray(0, 8).readInt32BE(4);
  if (version >> 16 !== 3) {
    throw new ConnectionRefusal(
      '0A000',
      `unsupported frontend protocol ${version >>> 16}.${version & 0xffff}: server supports 3.0 and later`,
    );
  }
  const parameters = readParameters(packet.subarray(8));
  checkAccess(parameters);
  const isExtension = ([name]: Parameter) => PROTOCOL_EXTENSION.test(name);
  const others = parameters.filter((parameter) => parameter[0] !== 'options' && !isExtension(parameter));
  // Postgres takes the last value of a repeated parameter.
  const lastOf = (wanted: string) => parameters.findLast(([name]) => name === wanted)?.[1];
  const { endpoint, options } = readOptions(lastOf('options') ?? '');
  const user = Buffer.from(lastOf('user') ?? '', 'latin1').toString();
  if (user === '')
    throw new ConnectionRefusal('28000', 'no PostgreSQL user name specified in startup packet');
  return {
    endpointId: chooseEndpoint(endpoint, serverName),
    user,
    answer: negotiate(version, parameters.filter(isExtension)),
    bytes: writePacket([
      OWN_PARAMETER,
      ...others,
      ...(options === '' ? [] : [['options', options] as const]),
    ]),
  };
}

function negotiate(version: number, extensions: readonly Parameter[]): Buffer {
  if (version === VERSION && extensions.length === 0) return Buffer.alloc(0);
  const names = extensions.map(([name]) => Buffer.from(`${name}\0`, 'latin1'));
  return writeMessage('v', int32(VERSION), int32(names.length), ...names);
}

/** Latin-1 keeps every byte as it is, whatever the client's encoding. */
function readParameters(body: Buffer): Parameter[] {
  const texts = body.toString('latin1').split('\0');
  // After the last value comes an empty name, and nothing after its zero byte.
  const names = texts.slice(0, -2).filter((_text, index) => index % 2 === 0);
  if (texts.length % 2 !== 0 || !texts.slice(-2).every((text) => text === '') || names.includes('')) {
    throw protocolViolation('invalid startup packet layout: expected terminator as last byte');
  }
  return names.map((name, index) => [name, texts[index * 2 + 1] ?? '']);
}

/** The superuser is the emulator's own, and replication would copy the passwords of every role. */
function checkAccess(parameters: readonly Parameter[]): void {
  for (const [name, value] of parameters) {
    if (name === 'user' && value === SUPERUSER) {
      throw new ConnectionRefusal('28000', `role "${SUPERUSER}" is not permitted to log in`);
    }
    if (name === 'replication' && !NO_REPLICATION.test(value)) {
      throw new ConnectionRefusal('0A000', 'replication connections are not supported');
    }
  }
}

/** The value of the parameter `options` is a command line: words that end at a space, unless a backslash is before it. */
function readOptions(text: string): { endpoint?: string; options: string } {
  const words = (text.match(OPTION_WORD) ?? []).flatMap((word, index, all) => {
    if (word === '-c' && index + 1 < all.length) return [];
    return all[index - 1] === '-c' ? [`-c${word}`] : [word];
  });
  const endpoint = words.map((word) => ENDPOINT_OPTION.exec(word)?.[1]).findLast((id) => id !== undefined);
  if (endpoint === undefined) return { options: text };
  return { endpoint, options: words.filter((word) => !ENDPOINT_OPTION.test(word)).join(' ') };
}

/** Host names begin with the id of the endpoint. Those of the pooler lead to the same server: there is no pooler. */
function chooseEndpoint(option = '', serverName = ''): string | undefined {
  const byName = endpointOfHost(serverName);
  if (option === '') return byName;
  const byOption = checkEndpointId(option.replace(POOLER, ''));
  if (byName === undefined || byName === byOption) return byOption;
  throw new ConnectionRefusal('08004', 'the host name and the option "endpoint" name different endpoints');
}

/** The ID with which a host name begins; undefined if it is another name. */
export function endpointOfHost(name: string): string | undefined {
  const [label = ''] = name.toLowerCase().split('.');
  const id = label.replace(POOLER, '');
  return ENDPOINT_ID.test(id) ? id : undefined;
}

export function checkEndpointId(id: string | undefined): string {
  if (id === undefined || id === '') throw noEndpoint();
  if (ENDPOINT_ID.test(id)) return id;
  throw new ConnectionRefusal('08004', '"endpoint" or "project" is not the ID of an endpoint (ep-...)');
}

export const noEndpoint = () =>
  new ConnectionRefusal(
    '08004',
    'endpoint ID is not specified: connect with TLS to the host name of the endpoint, or add the option endpoint=ID (in a URI, options=endpoint%3DID)',
  );

function writePacket(parameters: readonly Parameter[]): Buffer {
  const head = Buffer.alloc(8);
  const body = Buffer.from(
    `${parameters.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`,
    'latin1',
  );
  head.writeInt32BE(head.length + body.length);
  head.writeInt32BE(VERSION, 4);
  return Buffer.concat([head, body]);
}

export function writeRefusal({ sqlState, message }: ConnectionRefusal): Buffer {
  return writeMessage('E', `SFATAL\0VFATAL\0C${sqlState}\0M${message.replaceAll('\0', '')}\0\0`);
}
