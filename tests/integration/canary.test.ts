import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Fault, RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EndpointInputs } from '../../provider/src/endpoint-inputs';
import { EndpointProvider } from '../../provider/src/endpoint-provider';
import type { EndpointOutputs } from '../../provider/src/endpoint-state';
import { selfSignedCertificate } from '../fixtures/self-signed-certificate';
import { KeyWitness } from './key-witness';
import { makeFolder, runWith } from './start-command';
import { startService } from './start-service';

/** With characters that JSON and URLs write in another way, as far as a key may hold them. */
const canary = 'canary-key/7f3a+"1"=';
const repeated = `the key ${canary} is not welcome`;

const urn = 'urn:pulumi:test::test::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::app';
/** What waits for the deadline does not wait long. Seconds. */
const timeouts = { create: 0.3, update: 0.3, delete: 0.3 };

async function startWitnessed() {
  const witness = new KeyWitness();
  witness.watchProcess();
  await witness.watchEngine();
  const { emulator, project, branch, declare } = await startService({ apiKey: canary });
  const startProvider = (environment: NodeJS.ProcessEnv = {}) =>
    new EndpointProvider({
      pollPacing: { shortestMs: 10, longestMs: 50 },
      retryPacing: { baseMs: 5, capMs: 20, unreachableMs: 50 },
      requestTimeoutMs: 250,
      readSharingMs: 0,
      environment: {
        POSTGRES_COMPUTE_BASE_URL: emulator.url,
        POSTGRES_COMPUTE_API_KEY: canary,
        ...environment,
      },
    });
  const inputs = declare({ __urn: urn, timeouts });
  return { witness, emulator, project, branch, startProvider, inputs };
}

type Witnessed = Awaited<ReturnType<typeof startWitnessed>>;

/** Everything that the engine asks of a provider, each with whatever comes out. */
async function live(
  { witness }: Witnessed,
  provider: EndpointProvider,
  inputs: EndpointInputs,
  state?: { id: string; outs: EndpointOutputs },
): Promise<void> {
  const { id = 'ep-none-1', outs = { ...inputs } as EndpointOutputs } = state ?? {};
  const wanted = { ...inputs, autoscalingLimitMaxCu: 2 };
  await witness.see(() => provider.check({}, { ...inputs }));
  await witness.see(() => provider.create({ ...inputs, name: 'second', type: 'read_only' }));
  await witness.see(() => provider.diff(id, outs, wanted));
  await witness.see(() => provider.update(id, outs, wanted));
  await witness.see(() => provider.read(id, outs));
  await witness.see(() => provider.delete(id, outs));
}

/** A server in the place of the service. Returns a base URL, and the keys that have come to it. */
async function listen(answer: RequestListener) {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers.authorization));
    answer(request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return { url: `http://127.0.0.1:${port}/api/v2`, keys };
}

const statuses = [400, 401, 403, 404, 405, 409, 412, 422, 423, 429, 500, 501, 502, 503, 504];

const requestEffects: [string, RequestEffect][] = [
  ...statuses.map((status): [string, RequestEffect] => [
    `${status} ${STATUS_CODES[status]}, which repeats the key`,
    { kind: 'status', status, message: repeated, code: `KEY_${canary}` },
  ]),
  ['500 after the work', { kind: 'status', status: 500, when: 'after-work', message: repeated }],
  ['no answer, before the work', { kind: 'lost-before-work' }],
  ['no answer, after the work', { kind: 'lost-after-work' }],
  ['an answer after the time-out', { kind: 'slow', delayMs: 400 }],
  ['an answer that is cut off', { kind: 'malformed' }],
];

const operationFaults: [string, Fault][] = [
  ...['start_compute', 'apply_config', 'suspend_compute'].flatMap((action): [string, Fault][] => [
    [`fails: ${action}`, { match: { action }, times: 'always', effect: { kind: 'operation-fails' } }],
    [`hangs: ${action}`, { match: { action }, times: 'always', effect: { kind: 'operation-hangs' } }],
  ]),
  [
    'has an unknown status',
    { match: {}, times: 'always', effect: { kind: 'operation-status', status: 'pondering' } },
  ],
];

it('the witness finds a key wherever it may be', async () => {
  for (const hiding of [
    new Error('refused', { cause: { config: { headers: { Authorization: `Bearer ${canary}` } } } }),
    Object.defineProperty(new Error('refused'), 'config', { value: canary, enumerable: false }),
    new AggregateError([new Error(canary)], 'refused'),
    { outs: new Map([['deep', [[[[canary]]]]]]) },
  ]) {
    const witness = new KeyWitness();
    await witness.see(() => Promise.reject(hiding));
    expect(witness.findings(canary)).not.toEqual([]);
  }
});

describe('the key is nowhere but in requests', () => {
  it('when all goes well', async () => {
    const service = await startWitnessed();
    const { witness, emulator, startProvider, inputs } = service;
    const patient = { ...inputs, timeouts: { create: 10, update: 10, delete: 10 } };
    const made = await witness.see(() => startProvider().create(patient));
    await live(service, startProvider(), patient, {
      id: made?.id ?? '',
      outs: made?.outs as EndpointOutputs,
    });
    expect(witness.errors).toEqual([]);
    expect(witness.engineLines.join()).toContain('start_compute');
    expect(emulator.requests().every(({ status }) => status !== 401)).toBe(true);
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each(requestEffects)('when the service answers %s', async (_case, effect) => {
    const service = await startWitnessed();
    const { witness, emulator, startProvider, inputs } = service;
    const { id, outs } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    for (const method of ['POST', 'PATCH', 'DELETE'])
      emulator.inject({ match: { method }, times: 'always', effect });
    const reads = emulator.inject({ match: { method: 'GET' }, times: 2, effect });
    await live(service, startProvider(), inputs, { id, outs: outs as EndpointOutputs });
    expect(reads.hits).toBe(2);
    expect(witness.errors).not.toEqual([]);
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each(operationFaults)('when an operation %s', async (_case, fault) => {
    const service = await startWitnessed();
    const { witness, emulator, startProvider, inputs } = service;
    const { id, outs } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    emulator.inject(fault);
    await live(service, startProvider(), inputs, { id, outs: outs as EndpointOutputs });
    expect(witness.findings(canary)).toEqual([]);
  });

  it('when the project is locked until the deadline', async () => {
    const service = await startWitnessed();
    const { witness, emulator, project, startProvider, inputs } = service;
    const { id, outs } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    emulator.lockProject(project.id);
    await live(service, startProvider(), inputs, { id, outs: outs as EndpointOutputs });
    expect(witness.errors.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/423 Locked.*waited/),
    );
    expect(witness.engineLines.join()).toContain('waiting: project locked by');
    expect(witness.findings(canary)).toEqual([]);
  });

  it('when it is not the right key', async () => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const wrong = `${canary}2`;
    await live(service, startProvider({ POSTGRES_COMPUTE_API_KEY: wrong }), inputs);
    expect(String(witness.errors[0])).toContain('401 Unauthorized');
    expect(witness.findings(canary)).toEqual([]);
  });
});

describe('a service that is none gets the key, and nobody else sees it', () => {
  it.each([
    ['redirects', { status: 302, headers: { location: `http://127.0.0.1:1/${canary}` }, body: '' }],
    ['repeats it as text', { status: 200, headers: {}, body: repeated }],
    ['repeats it in a header', { status: 403, headers: { 'x-request-id': canary }, body: '' }],
    [
      'repeats it as a request id',
      { status: 409, headers: {}, body: JSON.stringify({ request_id: canary, code: canary }) },
    ],
    [
      'repeats it in an answer of another shape',
      { status: 200, headers: {}, body: JSON.stringify({ endpoints: [{ [canary]: canary }] }) },
    ],
  ])('when it %s', async (_case, { status, headers, body }) => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const { url, keys } = await listen((_request, response) =>
      response.writeHead(status, { ...headers, connection: 'close' }).end(body),
    );
    // A look that is not understood is made again for a minute: the engine asks for what has a deadline only.
    const provider = startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
    const outs = { ...inputs } as EndpointOutputs;
    await witness.see(() => provider.update('ep-none-1', outs, { ...inputs, autoscalingLimitMaxCu: 2 }));
    await witness.see(() => provider.delete('ep-none-1', outs));
    expect(new Set(keys)).toEqual(new Set([`Bearer ${canary}`]));
    expect(witness.errors).toHaveLength(2);
    expect(witness.findings(canary)).toEqual([]);
  });

  it('but not one whose certificate nobody has signed: the key is not sent at all', async () => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const keys: unknown[] = [];
    const server = createTlsServer(selfSignedCertificate, (request, response) => {
      keys.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
    const url = `https://127.0.0.1:${port}/api/v2`;
    await live(service, startProvider({ POSTGRES_COMPUTE_BASE_URL: url }), inputs);
    expect(String(witness.errors[0])).toMatch(
      /GET \/projects\/\S+\/endpoints: no usable answer: the certificate of the base URL is not trusted \(self-signed/,
    );
    expect(keys).toEqual([]);
    expect(witness.findings(canary)).toEqual([]);
  });
});

describe('the key is in no message about settings', () => {
  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      'that nothing answers',
      { POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1/api/v2' },
      /connection refused/,
    ],
    [
      'that the base URL holds a user',
      { POSTGRES_COMPUTE_BASE_URL: `https://${encodeURIComponent(canary)}@127.0.0.1/api/v2` },
      /without user, query or fragment/,
    ],
    [
      'that the base URL holds a query',
      { POSTGRES_COMPUTE_BASE_URL: `https://127.0.0.1/api/v2?key=${canary}` },
      /without user, query or fragment/,
    ],
    [
      'that the base URL is none',
      { POSTGRES_COMPUTE_BASE_URL: `127.0.0.1 ${canary}` },
      /without user, query or fragment/,
    ],
    [
      'that the base URL is unencrypted',
      { POSTGRES_COMPUTE_BASE_URL: 'http://postgres.example/api/v2' },
      /could read the API key/,
    ],
    [
      'that a header cannot carry the key',
      { POSTGRES_COMPUTE_API_KEY: `${canary}\r\nX-Other: ${canary}` },
      /holds a space or another character/,
    ],
  ])('%s', async (_case, environment, reason) => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const provider = startProvider(environment);
    await live(service, provider, inputs);
    expect(witness.errors.map(({ message }) => message)).toContainEqual(expect.stringMatching(reason));
    expect(witness.findings(canary)).toEqual([]);
  });
});

describe('the key is nowhere in what the command writes', () => {
  const commands = [
    ['operations', 'list'],
    ['operations', 'list', '--json'],
    ['endpoints', 'list'],
    ['endpoints', 'list', '--json'],
    ['import-file'],
  ];

  it.each([
    ['all goes well', undefined],
    ...requestEffects.filter(([, effect]) => effect.kind !== 'status' || effect.status < 423),
  ] satisfies [string, RequestEffect | undefined][])('when %s', async (_case, effect) => {
    const { witness, emulator, project } = await startWitnessed();
    const folder = await makeFolder();
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: canary,
      POSTGRES_COMPUTE_PROJECT: project.id,
    };
    for (const words of commands) {
      if (effect) emulator.inject({ match: {}, times: 1, effect });
      const output = words[0] === 'import-file' ? ['--output', join(folder, 'import.json')] : [];
      const end = await witness.see(() => runWith([...words, ...output], environment, { isTTY: true }));
      expect(`${end?.stdout}${end?.stderr}`).not.toBe('');
    }
    const file = await readFile(join(folder, 'import.json'), 'utf8').catch(() => '');
    await witness.see(() => file);
    if (!effect) expect(JSON.parse(file)).toHaveProperty('resources');
    expect(witness.findings(canary)).toEqual([]);
  });
});
