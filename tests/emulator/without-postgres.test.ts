import { execFileSync } from 'node:child_process';
import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';

describe('an emulator without Postgres', () => {
  it('loads none of its code', () => {
    const program = `
      const { startEmulator } = require('postgres-control-emulator');
      startEmulator().then(async (emulator) => {
        emulator.createProject();
        await emulator.stop();
        console.log(Object.keys(require.cache).join('\\n'));
      });`;
    const loaded = execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' });
    expect(loaded).toContain('start-emulator.js');
    expect(loaded).not.toMatch(/data-plane\/|gateway\/|node_modules\/pg\//);
  });

  it('has no port for clients', async () => {
    await expect(startEmulator({ postgresPort: 5433 })).rejects.toThrow(
      'postgresPort 5433 has no effect without the option postgres',
    );
  });
});
