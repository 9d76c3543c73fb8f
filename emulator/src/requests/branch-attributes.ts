import { z } from 'zod';
import { parse, section } from '../validation/parse';
import {
  type Accepted,
  attributes,
  flag,
  id,
  oneOf,
  refusal,
  refused,
  requiredAttributes,
  text,
  textLike,
  textOfLength,
} from '../validation/schemas';
import { NEW_ENDPOINT, type NewEndpointAttributes } from './endpoint-attributes';

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const timeExpected = 'a time such as 2026-01-31T08:00:00Z';
const timestamp = textLike(RFC_3339, timeExpected)
  .refine((time) => !Number.isNaN(Date.parse(time)), timeExpected)
  .transform((time) => new Date(time).toISOString());

const BODY = attributes({
  branch: z.unknown(),
  endpoints: z.array(z.looseObject({}, 'an object'), 'a list of objects'),
  annotation_value: refused,
});

const name = textOfLength(1, 256);
const branchChange = attributes({ name, protected: flag, expires_at: timestamp.nullable() });
const branch = attributes({
  name,
  parent_id: textLike(/^[a-z0-9-]{0,60}$/, 'empty or an id (1 to 60 of a-z, 0-9 and "-")'),
  protected: flag,
  archived: refused,
  init_source: oneOf('parent-data', 'schema-only', 'parent-schema', 'import').refine(
    (source) => source === 'parent-data' || source === 'schema-only',
    refusal,
  ),
  parent_lsn: text,
  parent_timestamp: timestamp,
  expires_at: timestamp,
});
export const BRANCH_RESTORE = requiredAttributes({
  source_branch_id: id,
  source_lsn: text.exactOptional(),
  source_timestamp: timestamp.exactOptional(),
  preserve_under_name: name.or(z.literal('')).exactOptional(),
});

/** The attributes of a new branch, and the endpoints to create with it, which sets their `branch_id`. */
export type NewBranch = Omit<z.infer<typeof branch>, 'archived'> & {
  readonly endpoints: readonly Omit<NewEndpointAttributes, 'branch_id'>[];
};

/**
 * A change of a branch: absent attributes keep their values, and null removes the expiration.
 * @interface
 */
export type BranchChange = Accepted<(typeof branchChange)['shape']>;
export const BRANCH_CHANGE = section('branch', branchChange);

export type BranchRestore = z.infer<typeof BRANCH_RESTORE>;

/** The body is optional, and so is every attribute in it. */
export function readNewBranch(body: unknown = {}): NewBranch {
  const { branch: requested = {}, endpoints = [] } = parse(BODY, body);
  const { archived: _, ...attributes } = parse(branch, requested, 'branch');
  return {
    ...attributes,
    // The branch has no id yet; addBranch sets the real one.
    endpoints: endpoints.map((each) => NEW_ENDPOINT.readBody({ endpoint: { ...each, branch_id: 'new' } })),
  };
}
