import { describe, expect, it } from 'vitest';
import type { EngineClient } from '../../provider/src/engine/engine-client';
import { EngineDisplay } from '../../provider/src/engine/engine-display';
import { silenceDiagnostics } from '../support/diagnostics';
import { callErrorOf, failedState, runUp } from '../support/door';
import { runCreate } from '../support/engine';
import { doors, startDoor } from '../support/start-door';
import { startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

/** Marks a secret in what a provider returns to the engine. */
const secretSignature = '4dabf18193072939515e22adb298388d';
const refusal = { match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } } as const;
const secret = { args: { pgSettings: { 'app.key': 'canary' } }, more: { secrets: ['pgSettings'] } };
const others = { pgSettings: { work_mem: '8MB' } };

describe.each(doors)('a secret setting of a killed run, by %s', (_name, door) => {
  it('is secret in state when the next create gives other settings', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door);
    emulator.inject({ ...refusal, times: 2 });
    // The engine is killed before it stores what this has left.
    const killed = declare({ name: 'api', ...secret.args }, secret.more);
    await callErrorOf(runUp(await startRun(), killed));
    const { outputs } = await failedState(runUp(await startRun(), declare({ name: 'api', ...others })));
    expect(held()).toHaveLength(1);
    expect(outputs.pgSettings).toHaveProperty(secretSignature);
  });

  it('is secret in state when the next update changes something else', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const before = await runUp(await startRun(), declare(others));
    // The engine is killed before it stores what this returns.
    await runUp(await startRun(), declare(secret.args, secret.more), before);
    const resized = declare({ ...others, autoscalingLimitMaxCu: 2 });
    const { outputs } = await runUp(await startRun(), resized, before);
    expect(held()).toHaveLength(1);
    expect(outputs.pgSettings).toHaveProperty(secretSignature);
  });
});

describe.each(doors)('what this release does not know in __ledger, by %s', (_name, door) => {
  it.each([{ due: ['futureArgument'] }, { due: 'name' }, { since: 'yesterday', due: ['name'] }])(
    'stops the update: %j',
    async (__ledger) => {
      const { startRun, declare, writes } = await startDoor(door);
      const state = await runUp(await startRun(), declare());
      const sent = writes().length;
      const odd = { ...state, outputs: { ...state.outputs, __ledger } };
      const { message } = await callErrorOf(runUp(await startRun(), declare(), odd));
      expect(message).toContain("this release can't read");
      expect(writes()).toHaveLength(sent);
    },
  );
});

it('a secret that an update replaces is redacted in its progress', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const shown: string[] = [];
  const client = { log: async (_severity: string, _urn: string, text: string) => void shown.push(text) };
  const display = new EngineDisplay(client as unknown as EngineClient);
  const provider = service.startProvider({}, { display });
  const { id, inputs, outs } = await runCreate(provider, service.declare(secret.args));
  // An operation that the service tries again may say what it could not apply.
  const error = 'app.key: canary is no key';
  const operation = emulator.addOperation(project.id, {
    action: 'apply_config',
    status: 'running',
    error,
    locks: true,
  });
  const update = provider.update(id, outs, { ...inputs, pgSettings: { 'app.key': 'another' } });
  await until(() => shown.some((text) => text.includes('project locked')));
  operation.finish();
  await update;
  expect(shown.join('\n')).not.toContain('canary');
});
