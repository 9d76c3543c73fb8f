import * as pulumi from '@pulumi/pulumi';
import { isEmpty, isNil, isPlainObject, mapValues, omitBy } from 'lodash';
import { pluginSettingNames } from '../config/setting-names';
import { refuseUnsafeConfig } from '../config/stack-config';
import type { DynamicType } from '../dynamic/provider-text';
import { findTimeoutFailures } from '../dynamic/timeouts';
import type { ComputeEndpointArgs } from './compute-endpoint-args';
import { toSharedHiddenInputs } from './hidden-inputs';
import { type Registration, toAliases, toOptions, toPluginToken, toProperties } from './registration';

const { version }: { version: string } = require('../../package.json');

type Timeouts = ComputeEndpointArgs['timeouts'];

/**
 * How to register a resource that the plugin manages, and that may be in state as a dynamic one.
 * @param outputs those of its class
 * @throws RunError when the stack's config is unsafe, or the time-outs are no plain numbers in their range
 */
export function registerPlugin(
  type: DynamicType,
  outputs: readonly string[],
  name: string,
  { timeouts, ...args }: { readonly timeouts?: Timeouts },
  opts?: pulumi.CustomResourceOptions,
): Registration {
  refuseUnsafeConfig(pluginSettingNames);
  const properties = toProperties(outputs, { ...args, ...toSharedHiddenInputs(opts) });
  return [toPluginToken(type), name, properties, toPluginOptions(type, timeouts, opts)];
}

function toPluginOptions(
  { token }: DynamicType,
  timeouts: Timeouts,
  opts?: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  const customTimeouts = { ...toCustomTimeouts(timeouts), ...opts?.customTimeouts };
  return toOptions({
    version,
    ...opts,
    aliases: toAliases(token, opts),
    ...(!isEmpty(customTimeouts) && { customTimeouts }),
  });
}

/** @throws RunError when they are no plain numbers in their range: the engine needs them before any resource exists */
function toCustomTimeouts(timeouts: Timeouts = {}): pulumi.CustomTimeouts {
  const given = omitBy(timeouts as object, isNil);
  const isKnown = isPlainObject(timeouts) && !Object.values(given).some((value) => typeof value === 'object');
  if (!isKnown)
    throw new pulumi.RunError('timeouts must be plain numbers of seconds, such as { create: 900 }.');
  const [failure] = findTimeoutFailures(given);
  if (failure) throw new pulumi.RunError(`timeouts: ${failure.reason}.`);
  return mapValues(given, (seconds) => `${seconds}s`);
}
