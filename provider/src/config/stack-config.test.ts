import * as pulumi from '@pulumi/pulumi';
import { describe, expect, it } from 'vitest';
import { dynamicSettingNames, pluginSettingNames } from './setting-names';
import { findSettingNames, refuseUnsafeConfig } from './stack-config';

/** The outcome in a stack whose config has these keys, for a resource of the dynamic provider unless another is given. */
function refuseIn(keys: string[], names = dynamicSettingNames): () => void {
  pulumi.runtime.setAllConfig(Object.fromEntries(keys.map((key) => [key, 'false'])));
  return () => refuseUnsafeConfig(names);
}

// A project may have almost the name of the plugin.
pulumi.runtime.setMocks({ newResource: () => ({ id: '', state: {} }), call: () => ({}) }, 'Postgres-Compute');

describe("a setting in the stack's config", () => {
  it.each([
    'postgresCompute:allow_restart',
    'postgresCompute:allowrestart',
    'postgresCompute:allowRestar',
    'postgresCompute:projectId',
    'postgres-compute:requestPerMinute',
    'postgres_compute:allowRestart',
    'PostgresCompute:baseUrl',
  ])('%s is refused, also beside a guard that is in force', (key) => {
    const refused = refuseIn([key, 'postgresCompute:allowRestart']);
    expect(refused).toThrow(pulumi.RunError);
    expect(refused).toThrow(
      `${key} in the config of this stack has no effect here: the settings are apiKey, baseUrl, requestsPerMinute, allowInsecureBaseUrl, allowRestart, each with the prefix postgresCompute, such as postgresCompute:allowRestart. Set it under its right name, or remove it with \`pulumi config rm ${key}\`.`,
    );
  });

  it.each([
    ['postgres-compute:allowRestart', dynamicSettingNames],
    ['postgresCompute:allowRestart', pluginSettingNames],
  ])('%s is refused where only the other guard counts', (key, names) => {
    expect(refuseIn([key], names)).toThrow(`with the prefix ${names.namespace}, such as`);
    expect(refuseIn([key, `${names.namespace}:allowRestart`], names)).not.toThrow();
  });

  it('is left alone if it is known, or not in a namespace of the provider', () => {
    const known = ['postgresCompute:baseUrl', 'postgres-compute:requestsPerMinute'];
    const own = `${pulumi.getProject()}:greeting`;
    expect(refuseIn([...known, own, 'shop:allowRestar', 'postgresql:host'])).not.toThrow();
  });
});

it.each(['apiKey', 'baseUrl'])("findSettingNames goes by the plugin's %s alone", (name) => {
  pulumi.runtime.setAllConfig({ [`postgres-compute:${name}`]: 'given' });
  expect(findSettingNames()).toBe(pluginSettingNames);
});
