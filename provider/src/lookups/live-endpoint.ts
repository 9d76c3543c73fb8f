import type { ControlApi } from '../control-api/control-api';
import type { Endpoint } from '../control-api/wire-types';

/** The current state of a compute endpoint. */
export interface ComputeEndpointState {
  /** The endpoint's id, such as `ep-cool-lake-12345678`. */
  readonly id: string;
  /** The endpoint's name; absent if it has none. */
  readonly name?: string;
  /** The project of the endpoint. */
  readonly projectId: string;
  /** The branch that the endpoint serves. */
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
  /** Seconds of inactivity until the service suspends the compute: -1 means never, 0 the service's default. @integer */
  readonly suspendTimeoutSeconds?: number;
  /** Whether the endpoint refuses connections and starts. */
  readonly disabled: boolean;
  /** Whether the endpoint pools connections. */
  readonly poolerEnabled: boolean;
  /** `init`, `active` or `idle`; the service may add states. */
  readonly currentState: string;
  /** The state that the endpoint is moving to; absent if its state is stable. */
  readonly pendingState?: string;
  /** When the endpoint was last active. ISO 8601; absent if it never was. */
  readonly lastActive?: string;
}

/** @internal */
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

/** The endpoints of a project, or of one branch of it. @internal */
export async function readEndpoints(
  api: ControlApi,
  { projectId, branchId }: { projectId: string; branchId?: string | undefined },
): Promise<ComputeEndpointState[]> {
  const endpoints = await api.listEndpoints(projectId);
  return endpoints.filter(({ branch_id }) => !branchId || branch_id === branchId).map(toEndpointState);
}
