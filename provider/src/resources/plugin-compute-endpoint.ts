import * as pulumi from '@pulumi/pulumi';
import { isPlainObject, mapValues, pickBy } from 'lodash';
import { pluginSettingNames } from '../config/setting-names';
import { refuseReadableKey } from '../config/stack-config';
import { toSharedHiddenInputs } from '../dynamic/hidden-inputs';
import { typeToken as dynamicType } from '../dynamic/provider-text';
import { findTimeoutFailures } from '../dynamic/timeouts';
import { ComputeEndpoint as DynamicComputeEndpoint, type Registration } from './compute-endpoint';
import type { ComputeEndpointArgs } from './compute-endpoint-args';

const { version }: { version: string } = require('../../package.json');

/**
 * A compute endpoint of a serverless Postgres service, managed by the provider plugin. A stack that moves here from the
 * dynamic provider keeps its endpoints: the preview shows them unchanged.
 *
 * The key and the base URL come from the arguments of a `Provider`, from the stack's config (`postgres-compute:apiKey`,
 * `postgres-compute:baseUrl`), else from the environment (`POSTGRES_COMPUTE_API_KEY`, `POSTGRES_COMPUTE_BASE_URL`).
 */
export class ComputeEndpoint extends DynamicComputeEndpoint {
  /** @internal */
  protected static override toRegistration(
    _name: string,
    { timeouts, ...args }: ComputeEndpointArgs,
    opts?: pulumi.CustomResourceOptions,
  ): Registration {
    refuseReadableKey(pluginSettingNames);
    const customTimeouts = opts?.customTimeouts ?? toCustomTimeouts(timeouts);
    return {
      type: 'postgres-compute:index:ComputeEndpoint',
      inputs: { ...args, ...toSharedHiddenInputs(opts) },
      options: {
        version,
        ...opts,
        aliases: [...(opts?.aliases ?? []), { type: dynamicType }],
        ...(customTimeouts && { customTimeouts }),
      },
    };
  }
}

/** @throws RunError when they are no plain numbers in their range: the engine needs them before any resource exists */
function toCustomTimeouts(timeouts: ComputeEndpointArgs['timeouts']): pulumi.CustomTimeouts | undefined {
  if (timeouts === undefined) return undefined;
  const given = pickBy(timeouts as object, (seconds) => seconds !== undefined);
  const [failure] = isPlainObject(timeouts) ? findTimeoutFailures(given) : ['a promise or an output'];
  if (failure === undefined) return mapValues(given, (seconds) => `${seconds}s`);
  throw new pulumi.RunError(
    'timeouts must be plain numbers of seconds above 0, at most 86400: { create: 900 }. The resource option `customTimeouts` takes them, too.',
  );
}
