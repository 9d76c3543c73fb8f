import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DynamicProvider } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { errorOf, failureOf } from '../support/failure';
import { KeyWitness } from '../support/key-witness';
import { retryPacing } from '../support/pacing';
import { runWith } from '../support/start-command';
import { startHttpService } from '../support/start-http-service';

/** Contains characters that JSON and URLs escape, as far as a key allows them. */
const canary = 'canary-key/7f3a+"1"=';

/** The key as it is, and as an encoder may write it into the text of its message. */
const spelled = `${canary}, ${JSON.stringify(canary)}, ${[...canary].map(toEscape).join('')}`;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The key, also where an escape of it is decoded once more. */
const holdsKey = (text: string) =>
  [text, text.replace(/\\u(\w{4})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))].some(
    (form) => form.includes(canary),
  );

/** An emulator with the canary as its key, over real connections, and a witness of everything that leaves the provider. */
async function startWitnessed() {
  const witness = new KeyWitness();
  witness.watchProcess();
  await witness.watchEngine();
  const { declare, ...service } = await startHttpService({ apiKey: canary });
  const pacing = { retryPacing: { ...retryPacing, unreachableMs: 50 }, requestTimeoutMs: 250 };
  const startProvider = (environment?: NodeJS.ProcessEnv) => service.startProvider(environment, pacing);
  // Short, for calls that wait until the deadline.
  const inputs = declare({ timeouts: { create: 0.3, update: 0.3, delete: 0.3 } });
  return { ...service, witness, startProvider, inputs };
}

/** Makes every call that the engine makes to a provider. Each may fail. */
async function live(witness: KeyWitness, provider: DynamicProvider, inputs: StoredInputs, id: string) {
  const outs = { ...inputs } as StoredOutputs;
  const desired = { ...inputs, autoscalingLimitMaxCu: 2 };
  await witness.see(() => provider.check({}, { ...inputs }));
  await witness.see(() => provider.create({ ...inputs, name: 'second', type: 'read_only' }));
  await witness.see(() => provider.diff(id, outs, desired));
  await witness.see(() => provider.update(id, outs, desired));
  await witness.see(() => provider.read(id, outs));
  await witness.see(() => provider.delete(id, outs));
}

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
    const { witness, startProvider, inputs } = await startWitnessed();
    const patient = { ...inputs, timeouts: { create: 10, update: 10, delete: 10 } };
    const { id } = await startProvider().create(patient);
    await live(witness, startProvider(), patient, id);
    expect(witness.errors).toEqual([]);
    expect(witness.engineLines.join()).toContain('start_compute');
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each<RequestEffect>([
    ...[401, 409, 423, 500].map(
      (status): RequestEffect => ({ kind: 'status', status, message: spelled, code: `KEY_${canary}` }),
    ),
    { kind: 'lost-after-work' },
    { kind: 'malformed' },
  ])('when requests meet $kind $status', async (effect) => {
    const { witness, emulator, startProvider, inputs } = await startWitnessed();
    const { id } = await startProvider().create({ ...inputs, timeouts: { create: 10 } });
    emulator.inject({ match: { method: 'GET' }, times: 2, effect });
    const writes = ['POST', 'PATCH', 'DELETE'].map((method) =>
      emulator.inject({ match: { method }, times: 'always', effect }),
    );
    await live(witness, startProvider(), inputs, id);
    expect(writes.some(({ hits }) => hits > 0)).toBe(true);
    expect(witness.findings(canary)).toEqual([]);
  });

  it.each([
    ['redirects', { status: 302, headers: { location: `http://127.0.0.1:1/${canary}` }, body: '' }],
    ['repeats it in another shape', { status: 200, headers: {}, body: JSON.stringify({ [canary]: canary }) }],
  ])('when a server that is not the service %s', async (_case, { status, headers, body }) => {
    const { witness, startProvider, inputs } = await startWitnessed();
    const server = createServer(({ method }, response) => {
      // The provider would retry a GET without a JSON response for a minute.
      if (method === 'GET') response.writeHead(404).end(JSON.stringify({ message: canary }));
      else response.writeHead(status, headers).end(body);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
    const provider = startProvider({ POSTGRES_COMPUTE_BASE_URL: `http://127.0.0.1:${port}/api/v2` });
    const outs = { ...inputs } as StoredOutputs;
    await witness.see(() => provider.update('ep-none-1', outs, { ...inputs, autoscalingLimitMaxCu: 2 }));
    await witness.see(() => provider.delete('ep-none-1', outs));
    expect(witness.errors).toHaveLength(2);
    expect(witness.findings(canary)).toEqual([]);
  });

  it('when a failed operation repeats it, in the message and in state', async () => {
    const { emulator, startProvider, inputs } = await startWitnessed();
    const effect = { kind: 'operation-fails', error: `rejected: ${spelled}` } as const;
    emulator.inject({ match: { action: 'start_compute' }, effect });
    const failure = await failureOf(startProvider().create({ ...inputs, timeouts: { create: 10 } }));
    expect(failure.message).toContain('rejected: ***, "***", ***');
    for (const text of [failure.message, ...failure.reasons, JSON.stringify(failure.properties)])
      expect(holdsKey(text)).toBe(false);
  });

  it('when the command shows names and errors that repeat it', async () => {
    const { emulator, project } = await startWitnessed();
    const [primary] = emulator.endpoints(project.id);
    emulator.changeEndpoint(primary?.id ?? '', { name: canary });
    emulator.addOperation(project.id, { action: 'start_compute', status: 'failed', error: spelled });
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: canary,
      POSTGRES_COMPUTE_PROJECT: project.id,
    };
    for (const words of ['endpoints list', 'endpoints list --json', 'operations list --json']) {
      const { stdout, stderr, exitCode } = await runWith(words.split(' '), environment);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('***')]);
      expect(holdsKey(stdout + stderr)).toBe(false);
    }
  });
});

/** Control, bidi and format characters, line breaks, and workflow commands. */
const hostile = 'a\u001b]0;title\u0007b\u009b2Jc\u202ed\u200be\u2028f\r\n::error::gone\n##[error]gone';
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

it('control characters and workflow commands are escaped', async () => {
  const { witness, emulator, startProvider, inputs } = await startWitnessed();
  const provider = startProvider();
  const match = { action: 'start_compute' };
  emulator.inject({ match, effect: { kind: 'operation-fails', error: hostile } });
  const failure = await failureOf(provider.create({ ...inputs, timeouts: { create: 10 } }));
  const larger = { ...inputs, autoscalingLimitMaxCu: 2 };
  await provider.diff(failure.id, failure.properties, larger);
  const effect = { kind: 'status', status: 422, message: hostile } as const;
  emulator.inject({ match: { method: 'PATCH' }, effect });
  const refused = await errorOf(provider.update(failure.id, failure.properties, larger));
  for (const text of [failure.message, ...failure.reasons, refused.message])
    expect(text).toContain('\\u001b]0;title');
  const lines = witness.engineLines.flatMap((text) => text.split('\n'));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of [failure.message, ...failure.reasons, refused.message, ...lines]) {
    expect(line).not.toMatch(unprintable);
    expect(line).not.toMatch(/^\s*::|##\[/);
  }
});
