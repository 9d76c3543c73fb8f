import * as z from 'zod';
import { toPrintable } from './printable';

// The service's shapes (docs/service.md, "Calls" and "Operations"). Fields that the provider does not use pass through
// unchecked. If a field that it needs is missing or has another type, the response is malformed.

const timestamp = z.string();

/** Null means the same as an absent field. */
function absentOr<Shape extends z.ZodType>(shape: Shape) {
  return shape
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
}

export const operationSchema = z.looseObject({
  id: z.string(),
  project_id: z.string(),
  branch_id: absentOr(z.string()),
  endpoint_id: absentOr(z.string()),
  action: z.string(),
  status: z.string(),
  failures_count: z.number(),
  error: absentOr(z.string()),
  total_duration_ms: absentOr(z.number()),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A unit of work of the service. `action` and `status` are open sets: new values appear without notice. */
export type Operation = z.infer<typeof operationSchema>;

export const endpointSchema = z.looseObject({
  id: z.string().min(1),
  name: absentOr(z.string()),
  host: z.string(),
  proxy_host: z.string(),
  project_id: z.string(),
  branch_id: z.string(),
  region_id: z.string(),
  type: z.string(),
  autoscaling_limit_min_cu: z.number(),
  autoscaling_limit_max_cu: z.number(),
  suspend_timeout_seconds: absentOr(z.number()),
  provisioner: absentOr(z.string()),
  current_state: z.string(),
  pending_state: absentOr(z.string()),
  settings: z.looseObject({ pg_settings: z.record(z.string(), z.coerce.string()).optional() }),
  pooler_enabled: z.boolean(),
  pooler_mode: z.string(),
  disabled: z.boolean(),
  passwordless_access: z.boolean(),
  last_active: absentOr(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A compute endpoint as the service sends it. */
export type Endpoint = z.infer<typeof endpointSchema>;

/** The attributes of an endpoint in a create or an update. An update does not change absent ones. */
export interface EndpointAttributes {
  branch_id?: string;
  type?: string;
  region_id?: string;
  name?: string;
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  suspend_timeout_seconds?: number;
  pooler_enabled?: boolean;
  pooler_mode?: string;
  /** Replaces the whole map; an empty map clears it. */
  settings?: { pg_settings: Record<string, string> };
  disabled?: boolean;
  passwordless_access?: boolean;
  provisioner?: string;
}

const projectSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  region_id: z.string(),
  pg_version: z.number(),
  created_at: timestamp,
});
/** A project as the service sends it. */
export type Project = z.infer<typeof projectSchema>;

const branchSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  project_id: z.string(),
  parent_id: absentOr(z.string()),
  parent_lsn: absentOr(z.string()),
  parent_timestamp: absentOr(timestamp),
  default: z.boolean(),
  protected: z.boolean(),
  current_state: z.string(),
  pending_state: absentOr(z.string()),
  created_at: timestamp,
});
/** A branch as the service sends it. */
export type Branch = z.infer<typeof branchSchema>;

/** The attributes of a branch in a create or an update. An update takes the name and the protection only. */
export interface BranchAttributes {
  name?: string | undefined;
  parent_id?: string | undefined;
  parent_lsn?: string | undefined;
  parent_timestamp?: string | undefined;
  protected?: boolean | undefined;
}

/** In one line, so that `psql "$(…)"` and a terminal can take it as it is. */
function isConnectionUri(text: string): boolean {
  return /^postgres(ql)?:\/\/\S+$/.test(text) && toPrintable(text) === text;
}

const operations = z.array(operationSchema);
const endpoints = z.array(endpointSchema);

/** The shape of each call's response. */
export const responses = {
  operation: z.looseObject({ operation: operationSchema }),
  operations: z.looseObject({
    operations,
    pagination: z.looseObject({ cursor: z.string().optional() }).optional(),
  }),
  endpoint: z.looseObject({ endpoint: endpointSchema }),
  endpoints: z.looseObject({ endpoints }),
  endpointChange: z.looseObject({ endpoint: endpointSchema, operations: operations.default([]) }),
  project: z.looseObject({ project: projectSchema }),
  projects: z.looseObject({
    projects: z.array(projectSchema),
    unavailable_project_ids: absentOr(z.array(z.string())).transform((ids) => ids ?? []),
    pagination: z.looseObject({ cursor: z.string().optional() }).optional(),
  }),
  branch: z.looseObject({ branch: branchSchema }),
  branchChange: z.looseObject({ branch: branchSchema, operations: operations.default([]) }),
  branches: z.looseObject({
    branches: z.array(branchSchema),
    pagination: z.looseObject({ next: z.string().optional() }).optional(),
  }),
  connectionUri: z.looseObject({ uri: z.string().refine(isConnectionUri, 'it is not a connection string') }),
};

/** The response to a create, update, delete, start, suspend or restart of an endpoint. */
export type EndpointChange = z.infer<typeof responses.endpointChange>;
/** The response to a create, update or delete of a branch. */
export type BranchChange = z.infer<typeof responses.branchChange>;
/** One page of operations, newest first. `pagination.cursor` is the cursor of the next page. */
export type OperationsPage = z.infer<typeof responses.operations>;
