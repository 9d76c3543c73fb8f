import * as pulumi from '@pulumi/pulumi';
import { dynamicEndpoint } from '../dynamic/provider-text';
import type { SizeOutput } from '../endpoint/compute-size';
import { endpointOutputs } from '../endpoint/endpoint-type';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import type {
  ComputeEndpointArgs,
  ComputeEndpointLocation,
  ComputeEndpointType,
  PreloadLibraries,
} from './compute-endpoint-args';
import { pauseStackTraces, registerDynamic } from './registration';

/**
 * A compute endpoint of a serverless Postgres service: the host through which clients reach a branch.
 *
 * `pulumi up` returns when every operation that it started has finished. The key and the base URL come
 * from the stack's config (`postgresCompute:apiKey`, `postgresCompute:baseUrl`), else from the environment
 * (`POSTGRES_COMPUTE_API_KEY`, `POSTGRES_COMPUTE_BASE_URL`).
 */
export class ComputeEndpoint extends pulumi.CustomResource {
  /** The project that the branch belongs to. */
  declare readonly projectId: pulumi.Output<string>;
  /** The branch whose data the endpoint serves. */
  declare readonly branchId: pulumi.Output<string>;
  /** `read_write` or `read_only`. */
  declare readonly type: pulumi.Output<ComputeEndpointType>;
  /** The region of the compute. */
  declare readonly regionId: pulumi.Output<string>;
  /** The endpoint's name, unique among the endpoints of the project. */
  declare readonly name: pulumi.Output<string>;
  /** The smallest size in compute units (CU). */
  declare readonly autoscalingLimitMinCu: pulumi.Output<number>;
  /** The largest size in compute units (CU). */
  declare readonly autoscalingLimitMaxCu: pulumi.Output<number>;
  /** Seconds without activity after which the compute is suspended: -1 never, 0 the service's default (300). @integer */
  declare readonly suspendTimeoutSeconds: pulumi.Output<number | undefined>;
  /** Whether the endpoint pools connections. */
  declare readonly poolerEnabled: pulumi.Output<boolean>;
  /** How the pooler works: `transaction`. */
  declare readonly poolerMode: pulumi.Output<string>;
  /**
   * Postgres settings of this compute, as text. After a take-over, and with `deleteBeforeReplace: false`, this output is secret
   * unless it equals what the program gives: an earlier program may have set it.
   */
  declare readonly pgSettings: pulumi.Output<Record<string, string>>;
  /** The libraries that Postgres loads at its start. */
  declare readonly preloadLibraries: pulumi.Output<pulumi.Unwrap<PreloadLibraries>>;
  /** Whether connections and starts are refused. */
  declare readonly disabled: pulumi.Output<boolean>;
  /** Whether clients may log in without a password. */
  declare readonly passwordlessAccess: pulumi.Output<boolean>;
  /** What runs the compute, such as `k8s-neonvm`. */
  declare readonly provisioner: pulumi.Output<string | undefined>;
  /** The host that clients connect to directly. */
  declare readonly host: pulumi.Output<string>;
  /** The host for pooled connections. */
  declare readonly poolerHost: pulumi.Output<string>;
  /** The region's shared proxy host. */
  declare readonly proxyHost: pulumi.Output<string>;
  /** vCPU, RAM and local file cache at the smallest size. */
  declare readonly minSize: pulumi.Output<SizeOutput>;
  /** vCPU, RAM and local file cache at the largest size. */
  declare readonly maxSize: pulumi.Output<SizeOutput>;
  /** Postgres `max_connections`: set from the smallest size; it does not grow with the compute. @integer */
  declare readonly maxConnections: pulumi.Output<number | undefined>;
  /** Concurrent client connections through the pooler: 10000. @integer */
  declare readonly pooledMaxConnections: pulumi.Output<number>;
  /** Operations that were unfinished or failed when `pulumi up` last saw them. */
  declare readonly unsettledOperations: pulumi.Output<UnsettledOperation[] | undefined>;

  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @param name the resource's name in the program; a part of the endpoint's name when `args.name` is not given
   * @throws RunError when the stack's config has the key but not as a secret, or a setting that would be ignored, and for a
   * resource option without effect: `replaceOnChanges`, `customTimeouts`, `import`
   */
  constructor(name: string, args: ComputeEndpointArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerDynamic(dynamicEndpoint, endpointOutputs, name, args, opts));
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
