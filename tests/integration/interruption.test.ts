import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { makePluginProviders, type PluginProvider } from '../../provider/src/plugin/plugin-provider';
import type { ReadProperties } from '../../provider/src/plugin/properties';
import { PluginPartialStateError } from '../../provider/src/plugin/service-error';
import { lockPacing, pollPacing, retryPacing } from '../support/pacing';
import { ownEndpoints, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

const urnOf = (name: string) => `urn:pulumi:test::shop::postgres-compute:index:ComputeEndpoint::${name}`;

/** An emulator, and plugins that can be interrupted, each as the engine starts one for a run. */
async function startPluginService(options: EmulatorOptions = {}) {
  const service = await startService(options);
  const { emulator, project, branch } = service;
  const startRun = () => {
    const interruption = new AbortController();
    const settings = { apiKey: emulator.apiKey, baseUrl: emulator.url };
    const pacing = { pollPacing, retryPacing, lockPacing, readLagMs: 300, readSharingMs: 0 };
    const options = { ...pacing, environment: {}, signal: interruption.signal };
    return Object.assign(makePluginProviders(settings, options).endpoint, { interruption });
  };
  const check = async (provider: PluginProvider, name: string): Promise<ReadProperties> => {
    const values = { projectId: project.id, branchId: branch.id, type: 'read_only' };
    const none = { values: {}, secretNames: [] };
    const checked = await provider.check(urnOf(name), none, { values, secretNames: [] });
    return { values: { ...checked.values }, secretNames: [] };
  };
  const create = async (provider: PluginProvider, name = 'api') =>
    provider.create(urnOf(name), await check(provider, name), 0);
  const requests = (method: string) => emulator.requests().filter((request) => request.method === method);
  return { ...service, startRun, check, create, requests };
}

/** Interrupts the run, and returns how it ended and how long that took. */
async function interrupt({ interruption }: { interruption: AbortController }, work: Promise<unknown>) {
  const startedAt = Date.now();
  interruption.abort();
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, tookMs: Date.now() - startedAt };
}

describe('an interruption', () => {
  it('ends the wait for an operation, and the next run resumes from the state', async () => {
    const service = await startPluginService({ operationMs: 1_500 });
    const first = service.startRun();
    const creation = service.create(first);
    await until(() => ownEndpoints(service).length === 1);
    await sleep(100);
    const { error, tookMs } = await interrupt(first, creation);
    expect(tookMs).toBeLessThan(1_000);
    expect(error).toBeInstanceOf(PluginPartialStateError);
    const { id, outputs, message } = error as PluginPartialStateError;
    expect(message).toMatch(
      /interrupted while waiting for start_compute \S+ \w+ after .* continues to wait\.$/,
    );
    expect(outputs.values).toMatchObject({ unsettledOperations: [{ action: 'start_compute' }] });
    const next = service.startRun();
    const inputs = await service.check(next, 'api');
    const state = { urn: urnOf('api'), inputs, outputs: { values: { ...outputs.values }, secretNames: [] } };
    const resumed = await next.update(id, state, inputs, 0);
    expect(resumed.values).not.toHaveProperty('unsettledOperations');
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
  });

  it('fails every write that waits for a locked project, and sends none of them', async () => {
    const service = await startPluginService();
    service.emulator.lockProject(service.project.id);
    const run = service.startRun();
    const creations = ['a', 'b', 'c'].map((name) => service.create(run, name));
    const outcomes = Promise.allSettled(creations);
    await until(() => service.requests('POST').length > 0);
    await sleep(50);
    const sent = service.requests('POST').length;
    const { tookMs } = await interrupt(run, outcomes);
    expect(tookMs).toBeLessThan(1_000);
    const messages = (await outcomes).map(
      (outcome) => outcome.status === 'rejected' && outcome.reason.message,
    );
    expect(messages).toEqual(messages.map(() => expect.stringContaining('interrupted')));
    await sleep(500);
    expect(service.requests('POST').length).toBe(sent);
  });

  it('ends the pause that the service asks for', async () => {
    const service = await startPluginService();
    const effect = { kind: 'status', status: 429, retryAfterSeconds: 30 } as const;
    service.emulator.inject({ match: { method: 'POST' }, effect });
    const run = service.startRun();
    const creation = service.create(run);
    await until(() => service.requests('POST').length === 1);
    await sleep(50);
    const { error, tookMs } = await interrupt(run, creation);
    expect(tookMs).toBeLessThan(1_000);
    expect(String(error)).toContain('interrupted');
  });

  it('leaves a write under way the time for its response, which holds the id', async () => {
    const service = await startPluginService({ operationMs: 5_000 });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'slow', delayMs: 300 } });
    const run = service.startRun();
    const creation = service.create(run);
    await until(() => ownEndpoints(service).length === 1);
    const { error, tookMs } = await interrupt(run, creation);
    expect(tookMs).toBeLessThan(1_000);
    expect(error).toMatchObject({ id: ownEndpoints(service)[0]?.id });
  });

  it('ends the wait of a delete, which the next run repeats', async () => {
    const service = await startPluginService({ operationMs: 300 });
    const { id, values } = await service.create(service.startRun());
    const inputs = await service.check(service.startRun(), 'api');
    const state = { urn: urnOf('api'), inputs, outputs: { values: { ...values }, secretNames: [] } };
    const run = service.startRun();
    const deletion = run.delete(id, state, 0);
    await until(() => service.requests('DELETE').length === 1);
    const { error, tookMs } = await interrupt(run, deletion);
    expect(tookMs).toBeLessThan(1_000);
    expect(String(error)).toContain('interrupted');
    await service.startRun().delete(id, state, 0);
    expect(ownEndpoints(service)).toEqual([]);
  });

  it('sends nothing for a call that comes after it', async () => {
    const service = await startPluginService();
    const run = service.startRun();
    const inputs = await service.check(service.startRun(), 'api');
    run.interruption.abort();
    await expect(run.create(urnOf('api'), inputs, 0)).rejects.toThrow('interrupted');
    expect(service.requests('POST')).toEqual([]);
  });
});
