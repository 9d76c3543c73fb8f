import { expect, it } from 'vitest';
import { program } from '../fixtures/state/program';
import { codeBlock } from '../support/documents';
import { startFromState, stateFixtures } from '../support/old-state';
import { secret, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const importLine = codeBlock('docs/plugin.md', 'ts', 'TypeScript').trim();
const typeToken = 'postgres-compute:index:ComputeEndpoint';

it.each(stateFixtures)('the state in %s works, and moves to the plugin and back', async (fixture) => {
  const { stack, emulator, held, writes, primaryId } = await startFromState(fixture);
  const primary = () => held().find(({ id }) => id === primaryId);
  const before = held().map(({ id }) => id);
  await stack.writeProgram(program);
  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  const changed = program.replace('suspendTimeoutSeconds: 600', 'suspendTimeoutSeconds: 900');
  await stack.writeProgram(changed);
  await stack.run(...up);
  expect(primary()).toMatchObject({ suspend_timeout_seconds: 900 });

  const earlier = writes().length;
  const moved = changed.replace(/^import .*'pulumi-postgres-compute';$/m, importLine);
  await stack.writeProgram(moved);
  await stack.run(...up, '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview');
  await stack.run('preview', '--expect-no-changes');
  const { text, endpoints } = await stack.exportState();
  expect(endpoints.map(({ id }) => id).sort()).toEqual([...before].sort());
  expect(endpoints.map(({ type }) => type)).toEqual([typeToken, typeToken]);
  expect(text).not.toMatch(/__provider|__urn|__declared|restartOnChange/);
  expect([held().map(({ id }) => id), writes().length]).toEqual([before, earlier]);

  await stack.writeProgram(moved.replace('autoscalingLimitMaxCu: 2', 'autoscalingLimitMaxCu: 1'));
  await stack.run(...up);
  expect(primary()).toMatchObject({ autoscaling_limit_max_cu: 1 });
  expect(emulator.restarts(primaryId)).toBe(1);
  await stack.writeProgram(program);
  await stack.run(...up);
  await stack.run('up', '--yes', '--refresh', '--skip-preview', '--expect-no-changes');
  expect(held().map(({ id }) => id)).toEqual(before);
});

it('an unfinished operation and a secret survive the move to the plugin', async () => {
  const args = { pgSettings: { work_mem: secret('8MB') }, timeouts: { create: 2 } };
  const { stack, emulator, held, writes, place } = await startProgram('dynamic', args);
  const fault = emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } });
  expect((await stack.try(...up)).exitCode).not.toBe(0);
  fault.clear();
  await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
${importLine}
const pgSettings = { work_mem: pulumi.secret('8MB') };
new ComputeEndpoint('app', { ...(${JSON.stringify(place)} as any), pgSettings, timeouts: { create: 2 } });`);
  await stack.run(...up);
  expect(held()).toMatchObject([{ current_state: 'active' }]);
  expect(writes().filter(({ method }) => method === 'POST')).toHaveLength(1);
  const { text, endpoints } = await stack.exportState();
  expect(endpoints).toMatchObject([{ type: typeToken }]);
  expect(endpoints[0]?.outputs).not.toHaveProperty('unsettledOperations');
  expect(text).not.toContain('8MB');
  await stack.run('preview', '--expect-no-changes');
});
