import { join } from 'node:path';
import execa from 'execa';
import { expect, it } from 'vitest';
import { repository } from '../support/documents';

it.each(['plugin/main.js', 'dist/runtime.js'])('%s does not make Node load its fetch', async (bundle) => {
  const script = `
    require(${JSON.stringify(join(repository, 'provider', bundle))});
    process.stderr.write(process.moduleLoadList.join('\\n'));
    process.exit(0);`;
  const { stderr } = await execa(process.execPath, ['-e', script]);
  expect(stderr).toMatch(/NativeModule https/);
  expect(stderr).not.toMatch(/undici/);
});
