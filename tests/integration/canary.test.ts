import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Fault } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { KeyWitness } from '../support/key-witness';
import { selfSignedCertificate } from '../support/self-signed-certificate';
import { canary, live, repeated, requestEffects, startWitnessed } from '../support/start-witnessed';

/** Starts a server that replaces the service. Returns its base URL, and the keys that it receives. */
async function startServer(respond: RequestListener) {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers.authorization));
    respond(request, response);
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

it('the witness finds a key in causes, hidden and nested values', async () => {
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

describe('the key appears only in requests', () => {
  it('when every call succeeds', async () => {
    const service = await startWitnessed();
    const { witness, emulator, startProvider, inputs } = service;
    const patientInputs = { ...inputs, timeouts: { create: 10, update: 10, delete: 10 } };
    const created = await witness.see(() => startProvider().create(patientInputs));
    await live(service, startProvider(), patientInputs, {
      id: created?.id ?? '',
      outs: created?.outs as StoredOutputs,
    });
    expect(witness.errors).toEqual([]);
    expect(witness.engineLines.join()).toContain('start_compute');
    expect(emulator.requests().every(({ status }) => status !== 401)).toBe(true);
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each(requestEffects)('when requests get %s', async (_case, effect) => {
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
    expect(faults.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(1);
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

  it('when the service rejects it', async () => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const wrong = `${canary}2`;
    await live(service, startProvider({ POSTGRES_COMPUTE_API_KEY: wrong }), inputs);
    expect(witness.errors[0]?.message).toContain('401 Unauthorized');
    expect(witness.findings(canary)).toEqual([]);
  });
});

describe('a server that is not the service', () => {
  it.each([
    ['redirects', { status: 302, headers: { location: `http://127.0.0.1:1/${canary}` }, body: '' }],
    ['repeats the key as text', { status: 200, headers: {}, body: repeated }],
    ['repeats the key in a header', { status: 403, headers: { 'x-request-id': canary }, body: '' }],
    [
      'repeats the key as a request id',
      { status: 409, headers: {}, body: JSON.stringify({ request_id: canary, code: canary }) },
    ],
    [
      'repeats the key in a response of another shape',
      { status: 200, headers: {}, body: JSON.stringify({ endpoints: [{ [canary]: canary }] }) },
    ],
  ])('does not make the provider reveal the key when it %s', async (_case, { status, headers, body }) => {
    const service = await startWitnessed();
    const { witness, startProvider, inputs } = service;
    const { url, keys } = await startServer(({ method }, response) => {
      // The provider would retry a GET without a JSON response for a minute.
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

  it('never receives the key when its certificate is not trusted', async () => {
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

describe('a message about the settings never contains the key', () => {
  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      'when the connection is refused',
      { POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1/api/v2' },
      /connection refused/,
    ],
    [
      'when the base URL contains a user',
      { POSTGRES_COMPUTE_BASE_URL: `https://${encodeURIComponent(canary)}@127.0.0.1/api/v2` },
      /without user, query or fragment/,
    ],
    [
      'when the base URL contains a query',
      { POSTGRES_COMPUTE_BASE_URL: `https://127.0.0.1/api/v2?key=${canary}` },
      /without user, query or fragment/,
    ],
    [
      'when the base URL is not a URL',
      { POSTGRES_COMPUTE_BASE_URL: `127.0.0.1 ${canary}` },
      /without user, query or fragment/,
    ],
    [
      'when the base URL is unencrypted',
      { POSTGRES_COMPUTE_BASE_URL: 'http://postgres.example/api/v2' },
      /could read the API key/,
    ],
    [
      'when a header cannot carry the key',
      { POSTGRES_COMPUTE_API_KEY: `${canary}\r\nX-Other: ${canary}` },
      /contains a space, a control character/,
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
