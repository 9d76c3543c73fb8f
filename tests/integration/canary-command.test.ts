import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { runWith } from '../support/start-command';
import { canary, requestEffects, startWitnessed } from '../support/start-witnessed';
import { makeTemporaryFolder } from '../support/temporary-folder';

describe('the output of the command never contains the key', () => {
  const commands = [
    ['operations', 'list'],
    ['operations', 'list', '--json'],
    ['endpoints', 'list'],
    ['endpoints', 'list', '--json'],
    ['import-file'],
  ];

  it.each([
    ['a normal response', undefined],
    ...requestEffects.filter(([, effect]) => effect.kind !== 'status' || effect.status < 423),
  ] satisfies [string, RequestEffect | undefined][])(
    'when the first request of each call gets %s',
    async (_case, effect) => {
      const { witness, emulator, project } = await startWitnessed();
      const folder = makeTemporaryFolder();
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
    },
  );
});
