import * as pulumi from '@pulumi/pulumi';
import { readConnectionSettings } from './connection-settings';
import { ControlApi } from './control-api/control-api';
import type { Endpoint, Operation } from './control-api/wire-types';

/** A compute endpoint as it is right now, its state included. */
export interface ComputeEndpointState {
  readonly id: string;
  readonly name?: string;
  readonly projectId: string;
  readonly branchId: string;
  readonly regionId: string;
  /** `read_write` or `read_only`. */
  readonly type: string;
  readonly host: string;
  readonly proxyHost: string;
  /** Compute units. */
  readonly autoscalingLimitMinCu: number;
  /** Compute units. */
  readonly autoscalingLimitMaxCu: number;
  /** Seconds; -1 never, 0 the service's default. */
  readonly suspendTimeoutSeconds?: number;
  readonly disabled: boolean;
  readonly poolerEnabled: boolean;
  /** `init`, `active` or `idle`; the service may add words. */
  readonly currentState: string;
  /** The state that the endpoint is moving to, while it does. */
  readonly pendingState?: string;
  /** ISO 8601; absent until the endpoint has been active. */
  readonly lastActive?: string;
}

/** An operation of the service as it is right now. */
export interface OperationState {
  readonly id: string;
  readonly projectId: string;
  readonly branchId?: string;
  readonly endpointId?: string;
  readonly action: string;
  readonly status: string;
  readonly failuresCount: number;
  /** The service's error text, when it failed. */
  readonly error?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * Looks up one endpoint, live.
 * @throws ControlApiError 404 when the project has no such endpoint
 */
export async function getComputeEndpoint(at: {
  projectId: string;
  endpointId: string;
}): Promise<ComputeEndpointState> {
  return toEndpointState(await connect().getEndpoint(at.projectId, at.endpointId));
}

/** Looks up the endpoints of a project, or of one of its branches, live. */
export async function getComputeEndpoints(of: {
  projectId: string;
  branchId?: string;
}): Promise<ComputeEndpointState[]> {
  const endpoints = await connect().listEndpoints(of.projectId);
  return endpoints.filter(({ branch_id }) => !of.branchId || branch_id === of.branchId).map(toEndpointState);
}

/**
 * Looks up one operation, live.
 * @throws ControlApiError 404 when the project has no such operation
 */
export async function getOperation(at: { projectId: string; operationId: string }): Promise<OperationState> {
  return toOperationState(await connect().getOperation(at.projectId, at.operationId));
}

/** Looks up the newest operations of a project, newest first: `limit` of them, 1 to 1000. @default 100 */
export async function getOperations(of: { projectId: string; limit?: number }): Promise<OperationState[]> {
  const { operations } = await connect().listOperations(of.projectId, { limit: of.limit ?? 100 });
  return operations.map(toOperationState);
}

/** The key and the base URL by the same rules as the resource's: the stack's config, else the environment. */
function connect(): ControlApi {
  return new ControlApi(readConnectionSettings(readStackConfig, process.env));
}

function readStackConfig(key: string): string | undefined {
  const [namespace, name = ''] = key.split(':');
  return new pulumi.Config(namespace).get(name);
}

function toEndpointState(endpoint: Endpoint): ComputeEndpointState {
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

function toOperationState(operation: Operation): OperationState {
  return {
    id: operation.id,
    projectId: operation.project_id,
    action: operation.action,
    status: operation.status,
    failuresCount: operation.failures_count,
    createdAt: operation.created_at,
    updatedAt: operation.updated_at,
    ...(operation.branch_id !== undefined && { branchId: operation.branch_id }),
    ...(operation.endpoint_id !== undefined && { endpointId: operation.endpoint_id }),
    ...(operation.error !== undefined && { error: operation.error }),
  };
}
