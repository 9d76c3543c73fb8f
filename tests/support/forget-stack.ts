import * as pulumi from '@pulumi/pulumi';
import { afterAll } from 'vitest';

// The next file of the worker has the same SDK: it must not find the mocks and the config of this one.
afterAll(() => {
  pulumi.runtime.resetOptions('', '', -1, '', '', false, '');
  pulumi.runtime.setAllConfig({});
});
