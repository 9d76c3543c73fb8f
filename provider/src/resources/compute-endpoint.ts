import * as pulumi from '@pulumi/pulumi';
import { refuseReadableKey } from '../config/stack-config';
import { toHiddenInputs } from '../dynamic/hidden-inputs';
import { typeToken } from '../dynamic/provider-text';
import type { SizeOutput } from '../endpoint/compute-size';
import type { UnsettledOperation } from '../endpoint/endpoint-state';

/** `read_write` serves the branch; `read_only` is a read replica. */
export type ComputeEndpointType = 'read_write' | 'read_only';

/** How long an action may take, not counting the time in the project's write queue. Seconds. */
export interface ComputeEndpointTimeouts {
  /** @default 600 */
  create?: pulumi.Input<number>;
  /** @default 600 */
  update?: pulumi.Input<number>;
  /** @default 600 */
  delete?: pulumi.Input<number>;
}

/** Identifies an endpoint that already exists. */
export interface ComputeEndpointLocation {
  /** The project that the endpoint belongs to. */
  projectId: pulumi.Input<string>;
  /** The id that the service gave the endpoint, such as `ep-cool-lake-12345678`. */
  endpointId: pulumi.Input<pulumi.ID>;
}

/** The arguments of a compute endpoint. The service decides what the program leaves out. */
export interface ComputeEndpointArgs {
  /** The project that the branch belongs to. A change replaces the endpoint. */
  projectId: pulumi.Input<string>;
  /** The branch whose data the endpoint serves. A change moves the endpoint in place; connections drop. */
  branchId: pulumi.Input<string>;
  /** A branch has at most one `read_write` endpoint and may have several `read_only`. A change replaces the endpoint. */
  type: pulumi.Input<ComputeEndpointType>;
  /** The region of the compute. A change replaces the endpoint. @default the project's */
  regionId?: pulumi.Input<string>;
  /**
   * The endpoint's name, 1 to 64 characters, unique among the endpoints of the project. A change updates in place.
   * A new endpoint is created under the default name, by which a repeated create finds it, and renamed as the last step.
   * @default derived from the Pulumi organization, project, stack and resource name, with a short hash
   */
  name?: pulumi.Input<string>;
  /**
   * The smallest size in compute units (CU): 0.25, 0.5 or 1 to 8. Equal bounds make a fixed size. It also sets
   * `max_connections`. Goes with `autoscalingLimitMaxCu`. A change restarts the compute; connections drop.
   * @default the service's; if removed, the endpoint keeps its size
   */
  autoscalingLimitMinCu?: pulumi.Input<number>;
  /**
   * The largest size in compute units (CU), at most 8 above the smallest. Goes with `autoscalingLimitMinCu`.
   * A change restarts the compute; connections drop.
   * @default the service's; if removed, the endpoint keeps its size
   */
  autoscalingLimitMaxCu?: pulumi.Input<number>;
  /** Allows a size that the table does not list; the service then decides. @default false */
  allowUnlistedSize?: pulumi.Input<boolean>;
  /**
   * Seconds without activity after which the compute is suspended: -1 never, 0 the service's default (300),
   * else 1 to 604800 (7 days). A change updates in place, no restart.
   * @default the service's; if removed: 0
   * @integer
   */
  suspendTimeoutSeconds?: pulumi.Input<number>;
  /** Whether the endpoint pools connections. A change updates in place. @default the service's; if removed: false */
  poolerEnabled?: pulumi.Input<boolean>;
  /** How the pooler works: `transaction`. A change updates in place. @default the service's */
  poolerMode?: pulumi.Input<string>;
  /**
   * Postgres settings of this compute, as text: `{ work_mem: '64MB' }`. The whole map is replaced, an empty one
   * clears it. A change updates in place. @default the service's; if removed: none
   */
  pgSettings?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** `true` stops the compute, drops its connections and refuses new ones; `false` lets it start again. @default false */
  disabled?: pulumi.Input<boolean>;
  /** Whether clients may log in without a password. A change updates in place. @default the service's */
  passwordlessAccess?: pulumi.Input<boolean>;
  /** What runs the compute, such as `k8s-neonvm`. A change replaces the endpoint. @default the service's */
  provisioner?: pulumi.Input<string>;
  /**
   * Takes over the branch's endpoint of the given `name`, or else its read_write endpoint (such as the default one),
   * and updates it to what is declared. It matters only when the resource is created; later changes do nothing. @default false
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * If false, a change that would drop connections of an active compute fails the preview and the update before anything is
   * changed. @default the stack's config `postgresCompute:allowRestart`, else true
   */
  allowRestart?: pulumi.Input<boolean>;
  /**
   * Any change of this map restarts an active compute once: `{ release: '42' }`. Its values are kept in state, encrypted
   * if they are secrets.
   */
  restartTriggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>;
  /**
   * False: `pulumi up` does not wait for operations, and records the unfinished ones. It always waits for a delete.
   * @default true
   */
  waitForOperations?: pulumi.Input<boolean>;
  /** How long each action may take. */
  timeouts?: pulumi.Input<ComputeEndpointTimeouts>;
}

/**
 * A compute endpoint of a serverless Postgres service: the host through which clients reach a branch.
 *
 * `pulumi up` returns when every operation that the service started has finished. The key and the base URL come
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
  /** Postgres settings of this compute, as text. */
  declare readonly pgSettings: pulumi.Output<Record<string, string>>;
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
  /** Operations that had not finished, or had failed, when the last `pulumi up` ended. */
  declare readonly unsettledOperations: pulumi.Output<UnsettledOperation[] | undefined>;

  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @param name the resource's name in the program; a part of the endpoint's name when `args.name` is not given
   * @throws RunError when the key is in the stack's config but no secret there
   */
  constructor(name: string, args: ComputeEndpointArgs, opts?: pulumi.CustomResourceOptions) {
    refuseReadableKey();
    const properties = { ...computed, ...optional, ...args, ...toHiddenInputs(name, args, opts) };
    // For `--replace` and taint nothing else tells the provider that an old endpoint exists.
    const options = { ...opts, deleteBeforeReplace: opts?.deleteBeforeReplace ?? true };
    // To name promises that leak, the SDK takes a stack trace for each of four promises of each property, a hundred in all:
    // half of the time of a program with many endpoints. (It finds the resource's own source position separately.)
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      super(typeToken, name, properties, options);
    } catch (error) {
      Error.stackTraceLimit = stackTraceLimit;
      // An error of the SDK must still show the program's line.
      if (error instanceof Error) Error.captureStackTrace(error, ComputeEndpoint);
      throw error;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
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
    // A resource with an id is read; what the service decides needs no arguments.
    const args = { projectId: at.projectId } as ComputeEndpointArgs;
    return new ComputeEndpoint(name, args, { ...opts, id: at.endpointId });
  }
}

/** The engine fills only outputs that exist as properties. */
const computed = {
  host: undefined,
  poolerHost: undefined,
  proxyHost: undefined,
  minSize: undefined,
  maxSize: undefined,
  maxConnections: undefined,
  pooledMaxConnections: undefined,
  unsettledOperations: undefined,
};

type OptionalArgument = {
  [Name in keyof ComputeEndpointArgs]-?: undefined extends ComputeEndpointArgs[Name] ? Name : never;
}[keyof ComputeEndpointArgs];

/** The optional arguments that are outputs too: the service reports a value where the program gives none. */
const optional: Readonly<Record<OptionalArgument & keyof ComputeEndpoint, undefined>> = {
  regionId: undefined,
  name: undefined,
  autoscalingLimitMinCu: undefined,
  autoscalingLimitMaxCu: undefined,
  suspendTimeoutSeconds: undefined,
  poolerEnabled: undefined,
  poolerMode: undefined,
  pgSettings: undefined,
  disabled: undefined,
  passwordlessAccess: undefined,
  provisioner: undefined,
};
