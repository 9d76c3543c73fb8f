import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../../tests/support/temporary-folder';
import { dynamicBranch, dynamicDatabase, dynamicEndpoint, dynamicRole } from './provider-text';

const types = [dynamicEndpoint, dynamicBranch, dynamicRole, dynamicDatabase];

it.each(types)('each $token holds at most 400 characters of its provider in state', ({ providerText }) => {
  expect(providerText.length).toBeLessThanOrEqual(400);
});

it.each(types)('$token says what to install where it is missing', (type) => {
  const exported = { handler: () => ({}) };
  // The host requires from the program's folder.
  const requireFrom = createRequire(join(makeTemporaryFolder(), 'index.js'));
  new Function('exports', 'require', type.providerText)(exported, requireFrom);
  const message =
    "install pulumi-postgres-compute as a dependency of the program itself, until the state has none of its resources: Cannot find module 'pulumi-postgres-compute/runtime'";
  expect(exported.handler).toThrow(expect.objectContaining({ message, stack: 'as shown with the resource' }));
});
