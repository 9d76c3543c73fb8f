import { expect, test } from 'vitest';
import { pulumiEnvironment } from '../../tools/pulumi-cli/environment';

const OPTIONS = { home: '/private/home', backend: '/private/state', cli: { folder: '/private/cli' } };

test('pulumiEnvironment adds a private backend, home and passphrase', () => {
  expect(pulumiEnvironment({ ...OPTIONS, outer: { PATH: '/bin', LANG: 'C' }, passphrase: 'secret' })).toEqual(
    {
      PATH: '/private/cli:/bin',
      LANG: 'C',
      PULUMI_BACKEND_URL: 'file:///private/state?metadata=skip',
      PULUMI_HOME: '/private/home',
      PULUMI_CONFIG_PASSPHRASE: 'secret',
      PULUMI_SKIP_UPDATE_CHECK: '1',
    },
  );
});

test('pulumiEnvironment drops every variable of Pulumi and the service', () => {
  const outer = {
    PATH: '/bin',
    PULUMI_ACCESS_TOKEN: 'leak',
    PULUMI_BACKEND_URL: 'leak',
    PULUMI_CONFIG_PASSPHRASE_FILE: 'leak',
    PULUMI_STACK: 'leak',
    POSTGRES_COMPUTE_API_KEY: 'leak',
  };

  expect(JSON.stringify(pulumiEnvironment({ ...OPTIONS, outer }))).not.toContain('leak');
});

test('pulumiEnvironment keeps a backend that is a file address', () => {
  const { PULUMI_BACKEND_URL } = pulumiEnvironment({ ...OPTIONS, backend: 'file:///elsewhere', outer: {} });

  expect(PULUMI_BACKEND_URL).toBe('file:///elsewhere');
});
