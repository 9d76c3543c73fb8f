import { badRequest } from '../records/api-error';
import {
  type Checks,
  isAnnotations,
  isFlag,
  isId,
  isObject,
  isOneOf,
  isText,
  isTextOfLength,
  isTimestamp,
} from './attribute-checks';
import { type NewEndpointAttributes, readNewEndpoint } from './endpoint-attributes';
import { readAttributes, readSection, type UnknownAttributes } from './request-body';

export interface NewBranch {
  readonly name?: string | undefined;
  /** The parent branch. @default the primary branch */
  readonly parentId?: string | undefined;
  readonly isProtected?: boolean | undefined;
  /** The endpoints to create with the branch, which sets their `branch_id`. */
  readonly endpoints: readonly Omit<NewEndpointAttributes, 'branch_id'>[];
}

const BRANCH_CHECKS: Checks = {
  name: isTextOfLength(1, 256),
  parent_id: (value) => (value === '' ? undefined : isId(value)),
  protected: isFlag,
  archived: isFlag,
  init_source: isOneOf('parent-data', 'schema-only'),
  parent_lsn: isText,
  parent_timestamp: isTimestamp,
  expires_at: isTimestamp,
};

/** The body is optional, and so is every attribute in it. */
export function readNewBranch(body: unknown, unknownAttributes: UnknownAttributes): NewBranch {
  const section = readSection(body, 'branch', true);
  // BRANCH_CHECKS matches the attribute types.
  const branch = readAttributes(section, 'branch', BRANCH_CHECKS, unknownAttributes) as {
    name?: string;
    parent_id?: string;
    protected?: boolean;
  };
  const { endpoints = [], annotation_value = {} } = isObject(body) ? body : {};
  const expected = isAnnotations(annotation_value);
  if (expected !== undefined) throw badRequest(`annotation_value must be ${expected}`);
  if (!Array.isArray(endpoints) || !endpoints.every(isObject))
    throw badRequest('endpoints must be a list of objects');
  return {
    name: branch.name,
    parentId: branch.parent_id || undefined,
    isProtected: branch.protected,
    // The branch has no id yet; addBranch sets the real one.
    endpoints: endpoints.map((endpoint) =>
      readNewEndpoint({ ...endpoint, branch_id: 'new' }, unknownAttributes),
    ),
  };
}
