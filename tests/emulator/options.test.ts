import { execFileSync } from 'node:child_process';
import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('an invalid option is rejected', () => {
  it.each<[EmulatorOptions, RegExp]>([
    [{ port: 65_536 }, /port must be a whole number from 0 to 65535; got 65536/],
    [{ host: '0.0.0.0' }, /host 0.0.0.0 can be reached from other machines/],
    [{ apiKey: '' }, /apiKey must be/],
    [{ operationMs: -1 }, /operationMs must be/],
    [{ operationMs: { start_compute: 1.5 } }, /operationMs.start_compute must be/],
    [{ schedulingMs: Number.NaN }, /schedulingMs must be/],
    [{ maxCu: 57 }, /maxCu must be a whole number from 1 to 56/],
    [{ maxEndpoints: 0 }, /maxEndpoints must be/],
    [{ requestsPerMinute: -1 }, /requestsPerMinute must be/],
    [{ autosuspendSecondMs: 0 }, /autosuspendSecondMs must be/],
    [{ lateListsMs: 60_001 }, /lateListsMs must be a whole number from 0 to 60000/],
    [{ lateGetsMs: -1 }, /lateGetsMs must be/],
    // Values that an untyped program could pass.
    [{ allowRemote: 1 } as object, /allowRemote must be true or false/],
    [{ locks: 'all' } as object, /locks must be one of project, endpoint, none; got "all"/],
    [{ operationsMs: 5 } as object, /operationsMs is not an option/],
    [{ postgresPort: 5433 }, /postgresPort 5433 has no effect without the option postgres/],
  ])('rejects the option %j', async (options, message) => {
    await expect(startEmulator(options)).rejects.toThrow(message);
  });

  it('the error for an invalid apiKey does not contain the key', async () => {
    const started = startEmulator({ apiKey: 'my secret' });
    await expect(started).rejects.toThrow(/^apiKey must be one or more printable characters without spaces$/);
  });
});

describe('an option', () => {
  it('the option operationMs accepts a duration per action, even a getter', async () => {
    let durationMs = 0;
    const operationMs = {
      get start_compute() {
        return durationMs;
      },
      default: 0,
    };
    const { emulator, project, createActive, create } = await startService({ operationMs });
    await createActive();
    durationMs = 60_000;
    await create({ type: 'read_only' });
    emulator.lockProject(project.id)();
    const [, start] = emulator.operations(project.id);
    expect(start).toMatchObject({ action: 'start_compute', status: 'running' });
  });

  it.each([
    [16, 8, 16, 201],
    [16, 7, 16, 400],
    [56, 56, 56, 201],
    [56, 48, 56, 400],
    [16, 17, 17, 400],
  ])(
    'the option maxCu %i responds to a compute of %i to %i CU with %i',
    async (maxCu, min, max, expected) => {
      const { create } = await startService({ maxCu });
      const sizes = { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max };
      expect((await create(sizes)).status).toBe(expected);
    },
  );
});

it('no code for Postgres is loaded without its option', () => {
  const program = `
    const { startEmulator } = require('postgres-control-emulator');
    startEmulator().then(async (emulator) => {
      emulator.createProject();
      await emulator.stop();
      console.log(Object.keys(require.cache).join('\\n'));
    });`;
  const loaded = execFileSync(process.execPath, ['--eval', program], { cwd: __dirname, encoding: 'utf8' });
  expect(loaded).toContain('start-emulator.js');
  expect(loaded).not.toMatch(/data-plane\/|gateway\/|node_modules\/pg\//);
});

it('stop ends pending requests at once and can be called twice', async () => {
  const { emulator, call } = await startService({ operationMs: 60_000 });
  const fault = emulator.inject({
    match: {},
    effect: { kind: 'slow', delayMs: 600_000, when: 'before-work' },
  });
  const responded = call('POST', '/projects', { project: {} }).catch(() => undefined);
  await expect.poll(() => fault.hits).toBe(1);
  await emulator.stop();
  await emulator.stop();
  await responded;
  await expect(call('GET', '/projects')).rejects.toThrow();
});
