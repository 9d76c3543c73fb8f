import { expect, it } from 'vitest';
import { program } from '../fixtures/state/program';
import { startFromState, stateFixtures } from '../support/old-state';

it.each(stateFixtures)('the current code runs a whole life from the state in %s', async (fixture) => {
  const { stack, emulator, primaryId, replicaId } = await startFromState(fixture);
  await stack.writeProgram(program);
  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--expect-no-changes');
  await stack.writeProgram(program.replace('suspendTimeoutSeconds: 600', 'suspendTimeoutSeconds: 900'));
  await stack.run('up', '--yes');
  expect(emulator.endpoints().find(({ id }) => id === primaryId)).toMatchObject({
    suspend_timeout_seconds: 900,
  });
  await stack.run('refresh', '--yes', '--expect-no-changes');
  await stack.run('destroy', '--yes');
  expect(emulator.endpoints().filter(({ id }) => [primaryId, replicaId].includes(id))).toEqual([]);
});
