import * as pulumi from '@pulumi/pulumi';
import { readConnectionSettings } from './connection-settings';
import { ControlApi } from './control-api/control-api';

/** The key and the base URL by the same rules as the resource's: the stack's config, else the environment. */
export function connectByStack(): ControlApi {
  return new ControlApi(readConnectionSettings(readStackConfig, process.env));
}

function readStackConfig(key: string): string | undefined {
  const [namespace, name = ''] = key.split(':');
  return new pulumi.Config(namespace).get(name);
}
