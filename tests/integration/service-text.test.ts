import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import * as pulumi from '@pulumi/pulumi';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { getComputeEndpoints, getOperations } from '../../provider/src/index';
import { KeyWitness } from '../support/key-witness';
import { runWith } from '../support/start-command';
import { startHttpService } from '../support/start-http-service';

/** The ways in which a JSON encoder may write a character. */
const spellings: [string, (text: string) => string][] = [
  ['unescaped', (text) => JSON.stringify(text).slice(1, -1)],
  ['with each / as \\/', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['as \\u escapes', (text) => toEscapes(text, (hex) => hex)],
  ['as \\u escapes in upper case', (text) => toEscapes(text, (hex) => hex.toUpperCase())],
  ['as JSON within JSON', (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)],
  ['as \\u escapes within JSON', (text) => JSON.stringify(toEscapes(text, (hex) => hex)).slice(1, -1)],
];

function toEscapes(text: string, spell: (hex: string) => string): string {
  return text
    .split('')
    .map((unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('');
}

const placeholder = 'THE-KEY';

/** Starts the emulator behind a proxy that replaces the placeholder in responses with the key in the given spelling. */
async function startRepeating(apiKey: string, spell: (text: string) => string) {
  const service = await startHttpService({ apiKey });
  const origin = new URL(service.emulator.url);
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const upstream = await fetch(`${origin.origin}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: String(request.headers.authorization),
        ...(chunks.length > 0 && { 'content-type': 'application/json' }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = (await upstream.text()).replaceAll(placeholder, spell(apiKey));
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  const { port } = proxy.address() as AddressInfo; // A server that listens on a port has one.
  const url = `http://127.0.0.1:${port}${origin.pathname}`;
  return { ...service, url, provider: service.startProvider({ POSTGRES_COMPUTE_BASE_URL: url }) };
}

const keys = ['canary/key"7f3a\\9b', 'canary-key/%2F+"1"='];

/** The text as it is, decoded once, and decoded twice. */
function decodings(text: string): string[] {
  const decode = (escaped: string) =>
    escaped.replace(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_all, hex, character) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : character,
    );
  return [text, decode(text), decode(decode(text))];
}

describe.each(keys)('the key %s', (key) => {
  it.each(spellings)('is redacted in messages and state of a failed operation %s', async (_how, spell) => {
    const { emulator, provider, declare } = await startRepeating(key, spell);
    emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-fails', error: `rejected: ${placeholder}` },
    });
    const failure = await provider.create(declare()).catch((error: unknown) => error);
    if (!(failure instanceof DynamicPartialStateError)) throw failure;
    expect(failure.message).toContain('rejected: ***');
    for (const text of [failure.message, ...failure.reasons, JSON.stringify(failure.properties)])
      expect(decodings(text).join()).not.toContain(key);
  });

  it.each(spellings)('is redacted in messages when an error response contains it %s', async (_how, spell) => {
    const { emulator, provider, declare } = await startRepeating(key, spell);
    const message = `rejected: ${placeholder}`;
    emulator.inject({
      match: { method: 'POST' },
      effect: { kind: 'status', status: 422, message, code: placeholder },
    });
    const failure = (await provider.create(declare()).catch((error: unknown) => error)) as Error;
    expect(failure.message).toContain('rejected: ***');
    expect(decodings(failure.message).join()).not.toContain(key);
  });

  it.each(spellings)("is redacted in the command's output of names and errors %s", async (_how, spell) => {
    const { emulator, project, url } = await startRepeating(key, spell);
    const [primary] = emulator.endpoints(project.id);
    emulator.changeEndpoint(primary?.id ?? '', { name: placeholder });
    emulator.addOperation(project.id, { action: 'start_compute', status: 'failed', error: placeholder });
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: url,
      POSTGRES_COMPUTE_API_KEY: key,
      POSTGRES_COMPUTE_PROJECT: project.id,
    };
    for (const words of [
      ['endpoints', 'list'],
      ['endpoints', 'list', '--json'],
      ['operations', 'list', '--json'],
      ['operations', 'list', '--json', '--limit', '5'],
    ]) {
      const { stdout, stderr, exitCode } = await runWith(words, environment);
      expect(exitCode).toBe(0);
      expect(decodings(stdout + stderr).join()).not.toContain(key);
    }
  });
});

/** Control, bidi and format characters, line breaks, and workflow commands. */
const hostile = 'a\u001b]0;title\u0007b\u009b2Jc\u202ed\u200be\u2028f\r\n::error::gone\n##[error]gone';
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('service text with control characters and workflow commands', () => {
  it('is escaped in errors and progress', async () => {
    const witness = new KeyWitness();
    await witness.watchEngine();
    const { emulator, startProvider, declare } = await startHttpService();
    const provider = startProvider();
    emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-fails', error: hostile },
    });
    const inputs = declare();
    const failure = await provider.create(inputs).catch((error: unknown) => error);
    if (!(failure instanceof DynamicPartialStateError)) throw failure;
    await provider.diff(failure.id, failure.properties, { ...inputs, autoscalingLimitMaxCu: 2 });
    emulator.inject({
      match: { method: 'PATCH' },
      effect: { kind: 'status', status: 422, message: hostile },
    });
    const refused = await provider
      .update(failure.id, failure.properties, { ...inputs, autoscalingLimitMaxCu: 2 })
      .catch((error: Error) => error.message);
    for (const text of [failure.message, ...failure.reasons, String(refused)]) {
      expect(text).toContain('\\u001b]0;title');
      expect(text).not.toMatch(unprintable);
      expect(text).not.toMatch(/^\s*::|##\[/);
    }
    expect(witness.engineLines.length).toBeGreaterThan(0);
    for (const line of witness.engineLines.flatMap((lines) => lines.split('\n'))) {
      expect(line).not.toMatch(unprintable);
      expect(line).not.toMatch(/^\s*::|##\[/);
    }
  });

  it('is escaped by --json and import-file, and decodes to the original text', async () => {
    const { emulator, project } = await startHttpService();
    const [primary] = emulator.endpoints(project.id);
    const name = '\u001b[31m\u202eevil\u2028';
    emulator.changeEndpoint(primary?.id ?? '', { name });
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
      POSTGRES_COMPUTE_PROJECT: project.id,
    };
    const { stdout } = await runWith(['endpoints', 'list', '--json'], environment);
    expect(stdout.replaceAll('\n', '')).not.toMatch(unprintable);
    expect((JSON.parse(stdout) as { endpoints: { name: string }[] }).endpoints[0]?.name).toBe(name);
    const program = (await runWith(['import-file', '--output', '/dev/null'], environment)).stdout;
    expect(program.replaceAll('\n', '')).not.toMatch(unprintable);
    const literal = /name: ('.*'),/.exec(program)?.[1] ?? '';
    expect(runInNewContext(literal)).toBe(name);
  });
});

describe('a key in plain text in the stack config', () => {
  afterEach(() => pulumi.runtime.setAllConfig({}));

  it('is refused by lookups too, without being repeated', async () => {
    pulumi.runtime.setAllConfig({ 'postgresCompute:apiKey': 'canary-key' });
    for (const lookUp of [getComputeEndpoints, getOperations]) {
      const failure = (await lookUp({ projectId: 'p-1' }).catch((error: unknown) => error)) as Error;
      expect(failure.message).toMatch(/^postgresCompute:apiKey is not a secret/);
      expect(failure.message).not.toContain('canary-key');
    }
  });
});

it('a read refuses a 204 where a body is expected', async () => {
  const server = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  const { startProvider, declare } = await startHttpService();
  const provider = startProvider({ POSTGRES_COMPUTE_BASE_URL: `http://127.0.0.1:${port}/api/v2` });
  const outs = { ...declare() } as StoredOutputs;
  await expect(provider.read('ep-1', outs)).rejects.toThrow(
    /^GET \S+: no usable response: the response does not have the documented shape/,
  );
});
