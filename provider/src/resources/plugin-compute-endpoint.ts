import * as pulumi from '@pulumi/pulumi';
import { isEmpty, isNil, mapValues, omitBy } from 'lodash';
import { toSharedHiddenInputs } from '../dynamic/hidden-inputs';
import { typeToken as dynamicType } from '../dynamic/provider-text';
import { findTimeoutFailures } from '../dynamic/timeouts';
import { ComputeEndpoint as DynamicComputeEndpoint, type Registration } from './compute-endpoint';
import type { ComputeEndpointArgs, ComputeEndpointLocation } from './compute-endpoint-args';

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
    const customTimeouts = { ...toCustomTimeouts(timeouts), ...opts?.customTimeouts };
    return {
      type: 'postgres-compute:index:ComputeEndpoint',
      inputs: { ...args, ...toSharedHiddenInputs(opts) },
      options: {
        version,
        ...opts,
        aliases: [...(opts?.aliases ?? []), { type: dynamicType }],
        ...(!isEmpty(customTimeouts) && { customTimeouts }),
      },
    };
  }

  static override get(
    name: string,
    at: ComputeEndpointLocation,
    opts?: pulumi.CustomResourceOptions,
  ): ComputeEndpoint {
    // A resource with an id is read; what the service decides needs no arguments.
    const args = { projectId: at.projectId } as ComputeEndpointArgs;
    return new ComputeEndpoint(name, args, { ...opts, id: at.endpointId });
  }
}

/** @throws RunError when a time-out is not a plain number: the engine needs it before any resource exists */
function toCustomTimeouts(timeouts: ComputeEndpointArgs['timeouts']): pulumi.CustomTimeouts {
  const isOutput = pulumi.Output.isInstance(timeouts);
  const given = omitBy(isOutput ? {} : { ...timeouts }, isNil);
  const isPlain = !isOutput && Object.values(given).every((seconds) => typeof seconds === 'number');
  const [failure] = findTimeoutFailures(isPlain ? given : undefined);
  if (!isPlain)
    throw new pulumi.RunError('timeouts must be plain numbers of seconds, such as { create: 900 }.');
  if (failure) throw new pulumi.RunError(`timeouts: ${failure.reason}.`);
  return mapValues(given, (seconds) => `${seconds}s`);
}
