import * as z from 'zod';
import { toPrintable } from './printable';

// The service's shapes (docs/service.md, "Calls" and "Operations"). Fields that the provider does not use are left out. If a
// field that it needs is missing or has another type, the response is malformed. A list may hold thousands of items, and each
// wrapper around a field costs memory for each of them.

const timestamp = z.string();

type WithoutNulls<Item> = { [Name in keyof Item]: Exclude<Item[Name], null> };

/** Null means the same as an absent field. */
function item<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).transform((parsed) => {
    const fields = parsed as Record<string, unknown>; // zod has made it, so it may be changed.
    for (const name of Object.keys(fields)) if (fields[name] === null) fields[name] = undefined;
    return parsed as WithoutNulls<typeof parsed>;
  });
}

export const operationSchema = item({
  id: z.string(),
  project_id: z.string(),
  branch_id: z.string().nullish(),
  endpoint_id: z.string().nullish(),
  action: z.string(),
  status: z.string(),
  failures_count: z.number(),
  error: z.string().nullish(),
  total_duration_ms: z.number().nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A unit of work of the service. `action` and `status` are open sets: new values appear without notice. */
export type Operation = z.infer<typeof operationSchema>;

export const endpointSchema = item({
  id: z.string().min(1),
  name: z.string().nullish(),
  host: z.string(),
  proxy_host: z.string(),
  project_id: z.string(),
  branch_id: z.string(),
  region_id: z.string(),
  type: z.string(),
  autoscaling_limit_min_cu: z.number(),
  autoscaling_limit_max_cu: z.number(),
  suspend_timeout_seconds: z.number().nullish(),
  provisioner: z.string().nullish(),
  current_state: z.string(),
  pending_state: z.string().nullish(),
  settings: z.object({
    pg_settings: z.record(z.string(), z.coerce.string()).optional(),
    preload_libraries: z
      .object({ use_defaults: z.boolean().nullish(), enabled_libraries: z.array(z.string()).nullish() })
      .nullish(),
  }),
  pooler_enabled: z.boolean(),
  pooler_mode: z.string(),
  disabled: z.boolean(),
  passwordless_access: z.boolean(),
  last_active: timestamp.nullish(),
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
  /** Each part is replaced as a whole; an empty one clears it. An absent one stays. */
  settings?: {
    pg_settings?: Record<string, string>;
    preload_libraries?: { use_defaults: boolean; enabled_libraries: string[] };
  };
  disabled?: boolean;
  passwordless_access?: boolean;
  provisioner?: string;
}

const projectSchema = item({
  id: z.string(),
  name: z.string(),
  region_id: z.string(),
  pg_version: z.number(),
  created_at: timestamp,
});
/** A project as the service sends it. */
export type Project = z.infer<typeof projectSchema>;

const branchSchema = item({
  id: z.string().min(1),
  name: z.string(),
  project_id: z.string(),
  parent_id: z.string().nullish(),
  parent_lsn: z.string().nullish(),
  parent_timestamp: timestamp.nullish(),
  expires_at: timestamp.nullish(),
  init_source: z.string().nullish(),
  default: z.boolean(),
  protected: z.boolean(),
  current_state: z.string(),
  pending_state: z.string().nullish(),
  created_at: timestamp,
  updated_at: timestamp.nullish(),
  last_reset_at: timestamp.nullish(),
  ttl_interval_seconds: z.number().nullish(),
});
/** A branch as the service sends it. */
export type Branch = z.infer<typeof branchSchema>;

/** The attributes of a branch in a create or an update. An update takes the name, the protection and the expiry only. */
export interface BranchAttributes {
  name?: string | undefined;
  parent_id?: string | undefined;
  parent_lsn?: string | undefined;
  parent_timestamp?: string | undefined;
  init_source?: string | undefined;
  /** Null removes it. */
  expires_at?: string | null | undefined;
  protected?: boolean | undefined;
}

const named = { branch_id: z.string(), name: z.string(), created_at: timestamp, updated_at: timestamp };
const namedSchemas = {
  role: item({ ...named, password: z.string().nullish() }),
  database: item({ ...named, id: z.number().nullish(), owner_name: z.string() }),
};

/** A resource with a name within its branch. */
export type NamedKind = keyof typeof namedSchemas;

/** A role or a database as the service sends it. */
export interface Named {
  /** Of a database: unique, and the same after a rename. */
  readonly id?: number | undefined;
  readonly branch_id: string;
  readonly name: string;
  /** Of a role, and only in the response to a request that sets it. */
  readonly password?: string | undefined;
  /** Of a database. */
  readonly owner_name?: string | undefined;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The attributes of a role or a database in a create or an update. */
export interface NamedAttributes {
  readonly name?: string;
  readonly owner_name?: string;
}

/** Where a reset takes the data from, and the branch that keeps the previous data. */
export interface BranchRestore {
  source_branch_id: string;
  source_lsn?: string | undefined;
  source_timestamp?: string | undefined;
  preserve_under_name?: string | undefined;
}

/** In one line, so that `psql "$(…)"` and a terminal can take it as it is. */
function isConnectionUri(text: string): boolean {
  return /^postgres(ql)?:\/\/\S+$/.test(text) && toPrintable(text) === text;
}

const operations = z.array(operationSchema);
/** The operations that a write has started. */
const started = operations.nullish().transform((list) => list ?? []);
const endpoints = z.array(endpointSchema);

const names = z.array(z.object({ name: z.string() }));

/** The shape of each call's response. */
export const responses = {
  operation: z.object({ operation: operationSchema }),
  operations: z.object({
    operations,
    pagination: item({ cursor: z.string().nullish() }).nullish(),
  }),
  endpoint: z.object({ endpoint: endpointSchema }),
  endpoints: z.object({ endpoints }),
  endpointChange: z.object({ endpoint: endpointSchema, operations: started }),
  project: z.object({ project: projectSchema }),
  projects: z.object({
    projects: z.array(projectSchema),
    unavailable_project_ids: z
      .array(z.string())
      .nullish()
      .transform((ids) => ids ?? []),
    pagination: item({ cursor: z.string().nullish() }).nullish(),
  }),
  branch: z.object({ branch: branchSchema }),
  branchChange: z.object({ branch: branchSchema, operations: started }),
  branches: z.object({
    branches: z.array(branchSchema),
    pagination: item({ next: z.string().nullish() }).nullish(),
  }),
  databases: z.object({ databases: names }),
  password: z.object({ password: z.string() }),
  roles: z.object({ roles: names }),
  connectionUri: z.object({ uri: z.string().refine(isConnectionUri, 'it is not a connection string') }),
};

/** The response to a create, update, delete, start, suspend or restart of an endpoint. */
export type EndpointChange = z.infer<typeof responses.endpointChange>;
/** The response to a create, update, reset or delete of a branch. */
export type BranchChange = z.infer<typeof responses.branchChange>;
/** The response to a create, an update or a delete of a role or a database. */
export interface NamedChange {
  readonly item: Named;
  readonly operations: readonly Operation[];
}

/** The shapes of the responses about roles and databases. */
export function namedShapes(kind: NamedKind) {
  const schema: z.ZodType<Named> = namedSchemas[kind];
  return {
    item: z.object({ [kind]: schema }).transform((body) => body[kind] as Named), // It has passed the schema.
    items: z.object({ [`${kind}s`]: z.array(schema) }).transform((body) => body[`${kind}s`] as Named[]),
    change: z
      .looseObject({ [kind]: schema, operations: started })
      .transform((body) => ({ item: body[kind] as Named, operations: body.operations as Operation[] })),
  };
}
/** One page of operations, newest first. `pagination.cursor` is the cursor of the next page. */
export type OperationsPage = z.infer<typeof responses.operations>;
