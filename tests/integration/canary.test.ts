import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Fault } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { selfSignedCertificate } from '../fixtures/self-signed-certificate';
import { KeyWitness } from './key-witness';
import { canary, live, repeated, requestEffects, startWitnessed } from './start-witnessed';

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
      outs: made?.outs as StoredOutputs,
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
    const faults = [
      emulator.inject({ match: { method: 'GET' }, times: 2, effect }),
      ...['POST', 'PATCH', 'DELETE'].map((method) =>
        emulator.inject({ match: { method }, times: 'always', effect }),
      ),
    ];
    await live(service, startProvider(), inputs, { id, outs: outs as StoredOutputs });
    expect(faults.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(2);
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each(operationFaults)('when an operation %s', async (_case, fault) => {
    const service = await startWitnessed();
    const { witness, emulator, startProvider, inputs } = service;
    const { id, outs } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    emulator.inject(fault);
    await live(service, startProvider(), inputs, { id, outs: outs as StoredOutputs });
    expect(witness.findings(canary)).toEqual([]);
  });

  it('when the project is locked until the deadline', async () => {
    const service = await startWitnessed();
    const { witness, emulator, project, startProvider, inputs } = service;
    const { id, outs } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    emulator.lockProject(project.id);
    await live(service, startProvider(), inputs, { id, outs: outs as StoredOutputs });
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
    expect(witness.errors[0]?.message).toContain('401 Unauthorized');
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
    const { url, keys } = await listen(({ method }, response) => {
      // A look whose answer is no JSON would be made again for a minute.
      if (method === 'GET')
        response.writeHead(404, { connection: 'close' }).end(JSON.stringify({ message: repeated }));
      else response.writeHead(status, { ...headers, connection: 'close' }).end(body);
    });
    const provider = startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
    const outs = { ...inputs } as StoredOutputs;
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
    expect(witness.errors[0]?.message).toMatch(
      /GET \/projects\/\S+\/endpoints: no usable response: the certificate of the base URL is not trusted \(self-signed/,
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
      /contains a space or another character/,
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
