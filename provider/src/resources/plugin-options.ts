import * as pulumi from '@pulumi/pulumi';
import { isEmpty, isNil, isPlainObject, mapValues, omitBy } from 'lodash';
import type { DynamicType } from '../dynamic/provider-text';
import { findTimeoutFailures } from '../dynamic/timeouts';
import type { ComputeEndpointArgs } from './compute-endpoint-args';
import { toOptions } from './registration';

const { version }: { version: string } = require('../../package.json');

type Timeouts = ComputeEndpointArgs['timeouts'];

/**
 * The options of a resource that the plugin manages, and that may be in state as a dynamic one.
 * @throws RunError when the time-outs are no plain numbers in their range
 */
export function toPluginOptions(
  { token }: DynamicType,
  timeouts: Timeouts,
  opts?: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  const customTimeouts = { ...toCustomTimeouts(timeouts), ...opts?.customTimeouts };
  return toOptions({
    version,
    ...opts,
    aliases: [...(opts?.aliases ?? []), { type: token }],
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
