import * as pulumi from '@pulumi/pulumi';
import { ControlApi } from '../control-api/control-api';
import { readConnectionSettings } from './connection-settings';

/**
 * The key and the base URL by the same rules as the resource's: the stack's config, else the environment.
 * @throws Error when one is missing; pulumi.RunError when the key is in the stack's config but no secret there
 */
export function connectByStack(): ControlApi {
  refuseReadableKey();
  return new ControlApi(readConnectionSettings(readStackConfig, process.env));
}

function readStackConfig(key: string): string | undefined {
  const [namespace, name = ''] = key.split(':');
  return new pulumi.Config(namespace).get(name);
}

/**
 * Pulumi keeps the config of a stack in the stack's state: encrypted when it is a secret, else as it is.
 * @throws pulumi.RunError when the key would be kept readable
 */
export function refuseReadableKey(): void {
  // Internal to the SDK, but the only source. If a release drops it, this check is skipped.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  const isGiven = new pulumi.Config('postgresCompute').get('apiKey') !== undefined;
  if (!isGiven || !isConfigSecret || isConfigSecret('postgresCompute:apiKey')) return;
  throw new pulumi.RunError(
    'postgresCompute:apiKey is not a secret in the config of this stack, so Pulumi would keep it readable in the state: set it again with `pulumi config set --secret postgresCompute:apiKey`.',
  );
}
