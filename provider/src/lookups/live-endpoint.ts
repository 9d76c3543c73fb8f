import type { Endpoint } from '../control-api/wire-types';

/** A compute endpoint as it is right now, its state included. */
export interface ComputeEndpointState {
  /** The endpoint's id, such as `ep-cool-lake-12345678`. */
  readonly id: string;
  /** Unique among the endpoints of the project; absent when it has none. */
  readonly name?: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it serves. */
  readonly branchId: string;
  /** The region of the compute. */
  readonly regionId: string;
  /** `read_write` or `read_only`. */
  readonly type: string;
  /** The host that clients connect to directly. */
  readonly host: string;
  /** The region's shared proxy host. */
  readonly proxyHost: string;
  /** The smallest size in compute units (CU). */
  readonly autoscalingLimitMinCu: number;
  /** The largest size in compute units (CU). */
  readonly autoscalingLimitMaxCu: number;
  /** Seconds without activity after which the compute is suspended: -1 never, 0 the service's default. */
  readonly suspendTimeoutSeconds?: number;
  /** Whether connections and starts are refused. */
  readonly disabled: boolean;
  /** Whether the endpoint pools connections. */
  readonly poolerEnabled: boolean;
  /** `init`, `active` or `idle`; the service may add words. */
  readonly currentState: string;
  /** The state that the endpoint is moving to, while it does. */
  readonly pendingState?: string;
  /** ISO 8601; absent until the endpoint has been active. */
  readonly lastActive?: string;
}

export function toEndpointState(endpoint: Endpoint): ComputeEndpointState {
  return {
    id: endpoint.id,
    projectId: endpoint.project_id,
    branchId: endpoint.branch_id,
    regionId: endpoint.region_id,
    type: endpoint.type,
    host: endpoint.host,
    proxyHost: endpoint.proxy_host,
    autoscalingLimitMinCu: endpoint.autoscaling_limit_min_cu,
    autoscalingLimitMaxCu: endpoint.autoscaling_limit_max_cu,
    disabled: endpoint.disabled,
    poolerEnabled: endpoint.pooler_enabled,
    currentState: endpoint.current_state,
    ...(endpoint.name !== undefined && { name: endpoint.name }),
    ...(endpoint.suspend_timeout_seconds !== undefined && {
      suspendTimeoutSeconds: endpoint.suspend_timeout_seconds,
    }),
    ...(endpoint.pending_state !== undefined && { pendingState: endpoint.pending_state }),
    ...(endpoint.last_active !== undefined && { lastActive: endpoint.last_active }),
  };
}
