import * as pulumi from '@pulumi/pulumi';
import { dynamicEndpoint } from '../dynamic/provider-text';
import { endpointOutputs } from '../endpoint/endpoint-type';
import type { ComputeEndpoint as DynamicComputeEndpoint } from './compute-endpoint';
import type { ComputeEndpointArgs, ComputeEndpointLocation } from './compute-endpoint-args';
import { registerPlugin } from './plugin-options';
import { pauseStackTraces } from './registration';

/**
 * The SDK's class, with the outputs of the dynamic provider's ComputeEndpoint. It must be the direct base: the SDK takes
 * the code that calls a subclass of its own for the program, and keeps that position in state.
 */
const Resource = pulumi.CustomResource as unknown as Pick<typeof pulumi.CustomResource, 'isInstance'> &
  (new (
    ...args: ConstructorParameters<typeof pulumi.CustomResource>
  ) => DynamicComputeEndpoint);

/**
 * A compute endpoint of a serverless Postgres service, managed by the provider plugin. A stack that moves here from the
 * dynamic provider keeps its endpoints: the preview shows them unchanged.
 *
 * The key and the base URL come from the arguments of a `Provider`, from the stack's config (`postgres-compute:apiKey`,
 * `postgres-compute:baseUrl`), else from the environment (`POSTGRES_COMPUTE_API_KEY`, `POSTGRES_COMPUTE_BASE_URL`).
 */
export class ComputeEndpoint extends Resource {
  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @param name the resource's name in the program; a part of the endpoint's name when `args.name` is not given
   * @throws RunError when `timeouts` are no plain numbers, when the stack's config has the key but not as a secret, or has a
   * setting that would be ignored
   */
  constructor(name: string, args: ComputeEndpointArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerPlugin(dynamicEndpoint, endpointOutputs, name, args, opts));
    } catch (error) {
      throw stackTraces.retake(error, ComputeEndpoint);
    } finally {
      stackTraces.resume();
    }
  }

  /**
   * Looks up an endpoint that exists, without managing it: it is never changed or deleted.
   * @throws Error (rejecting the program) when the project has no such endpoint
   */
  static get(
    name: string,
    at: ComputeEndpointLocation,
    opts?: pulumi.CustomResourceOptions,
  ): ComputeEndpoint {
    const args = { projectId: at.projectId } as ComputeEndpointArgs; // A read needs no others.
    return new ComputeEndpoint(name, args, { ...opts, id: at.endpointId });
  }
}
