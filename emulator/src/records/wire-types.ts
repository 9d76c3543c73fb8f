/** The JSON types of the API, with its names. Source: docs/service.md and the OpenAPI description. */

export type EndpointType = 'read_write' | 'read_only';
export type EndpointState = 'init' | 'active' | 'idle';

export interface EndpointSettings {
  pg_settings: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
  preload_libraries?: { use_defaults?: boolean; enabled_libraries?: string[] };
}

export interface Endpoint {
  id: string;
  host: string;
  proxy_host: string;
  project_id: string;
  branch_id: string;
  region_id: string;
  type: EndpointType;
  name?: string;
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
  current_state: EndpointState;
  pending_state?: EndpointState;
  settings: EndpointSettings;
  pooler_enabled: boolean;
  pooler_mode: string;
  disabled: boolean;
  passwordless_access: boolean;
  suspend_timeout_seconds: number;
  provisioner: string;
  creation_source: string;
  last_active?: string;
  started_at?: string;
  suspended_at?: string;
  created_at: string;
  updated_at: string;
}

export interface Operation {
  id: string;
  project_id: string;
  branch_id: string;
  endpoint_id?: string;
  action: string;
  status: string;
  error?: string;
  failures_count: number;
  created_at: string;
  updated_at: string;
  total_duration_ms: number;
}

export interface Branch {
  id: string;
  project_id: string;
  parent_id?: string;
  parent_lsn?: string;
  parent_timestamp?: string;
  name: string;
  current_state: 'init' | 'resetting' | 'ready';
  pending_state?: 'ready';
  state_changed_at: string;
  creation_source: string;
  init_source: string;
  primary: boolean;
  default: boolean;
  protected: boolean;
  cpu_used_sec: number;
  compute_time_seconds: number;
  active_time_seconds: number;
  written_data_bytes: number;
  data_transfer_bytes: number;
  /** To the second. */
  expires_at?: string;
  ttl_interval_seconds?: number;
  last_reset_at?: string;
  created_at: string;
  updated_at: string;
}

export interface Role {
  branch_id: string;
  name: string;
  /** Present only in the response to a request that sets it. */
  password?: string;
  protected: boolean;
  authentication_method: 'password' | 'no_login';
  created_at: string;
  updated_at: string;
}

export interface Database {
  id: number;
  branch_id: string;
  name: string;
  owner_name: string;
  created_at: string;
  updated_at: string;
}

export interface DefaultEndpointSettings {
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  suspend_timeout_seconds?: number;
  pg_settings?: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
}

export interface Project {
  id: string;
  name: string;
  region_id: string;
  platform_id: string;
  provisioner: string;
  pg_version: number;
  proxy_host: string;
  default_endpoint_settings?: DefaultEndpointSettings;
  branch_logical_size_limit: number;
  branch_logical_size_limit_bytes: number;
  store_passwords: boolean;
  history_retention_seconds: number;
  creation_source: string;
  owner_id: string;
  org_id: string;
  active_time_seconds: number;
  compute_time_seconds: number;
  cpu_used_sec: number;
  written_data_bytes: number;
  data_transfer_bytes: number;
  data_storage_bytes_hour: number;
  consumption_period_start: string;
  consumption_period_end: string;
  created_at: string;
  updated_at: string;
}

/** The account: an organization that owns every project, with one user. */
export const ACCOUNT_ID = 'emulator-account';

export const REGION_ID = 'local-east-1';
