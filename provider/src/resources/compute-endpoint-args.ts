import type * as pulumi from '@pulumi/pulumi';

/** `read_write` serves the branch; `read_only` is a read replica. */
export type ComputeEndpointType = 'read_write' | 'read_only';

/** How long an action may take, not counting the time in the project's write queue. Seconds, at most 86400. */
export interface ComputeEndpointTimeouts {
  /** @default 600 */
  create?: pulumi.Input<number>;
  /** @default 600 */
  update?: pulumi.Input<number>;
  /** @default 600 */
  delete?: pulumi.Input<number>;
}

/** The libraries that Postgres loads at its start. */
export interface PreloadLibraries {
  /** Whether those of the service are loaded. @default true */
  useDefaults?: pulumi.Input<boolean>;
  /** The names of further libraries, such as `pg_stat_statements`. @default none */
  enabledLibraries?: pulumi.Input<pulumi.Input<string>[]>;
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
  /**
   * The branch whose data the endpoint serves. A change moves the endpoint in place; connections drop. If it comes from a
   * `Branch` that is replaced, the endpoint is replaced with it.
   */
  branchId: pulumi.Input<string>;
  /**
   * `read_write` serves the branch, which has at most one of them; `read_only` is a read replica. A change replaces the
   * endpoint.
   */
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
  /** Allows a size other than 0.25, 0.5 and 1 to 8 CU; the service then decides. @default false */
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
   * Postgres settings of this compute, as text, such as `work_mem`: `64MB`. A change replaces the whole map in place; an
   * empty one clears it. @default the service's; if removed: none
   */
  pgSettings?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /**
   * The libraries that Postgres loads at its start. The service refuses one that it does not offer. A change restarts the
   * compute; connections drop.
   * @default the service's; if removed: its defaults alone
   */
  preloadLibraries?: pulumi.Input<PreloadLibraries>;
  /**
   * Whether the endpoint refuses connections. A change to `true` stops the compute and drops its connections; a change to
   * `false` lets it start again. @default false
   */
  disabled?: pulumi.Input<boolean>;
  /** Whether clients may log in without a password. A change updates in place. @default the service's */
  passwordlessAccess?: pulumi.Input<boolean>;
  /** What runs the compute, such as `k8s-neonvm`. A change replaces the endpoint. @default the service's */
  provisioner?: pulumi.Input<string>;
  /**
   * Takes over an endpoint of the branch that exists already, and updates it to what is declared: the one that has the
   * given `name`, or else the `read_write` one. It matters only when the resource is created. @default false
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * If false, a change that would drop connections of an active compute fails the preview and the update before anything is
   * changed. @default the stack's config `postgresCompute:allowRestart`, else true
   */
  allowRestart?: pulumi.Input<boolean>;
  /**
   * Any change of this map, such as of a `release`, restarts an active compute once. Its values are kept in state,
   * encrypted if they are secrets.
   */
  restartTriggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>;
  /**
   * Whether `pulumi up` waits for operations. If false, it records the unfinished ones in state. It always waits for a
   * delete.
   * @default true
   */
  waitForOperations?: pulumi.Input<boolean>;
  /** How long each action may take. */
  timeouts?: pulumi.Input<ComputeEndpointTimeouts>;
}
