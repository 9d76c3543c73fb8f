import { z } from 'zod';
import type { Branch } from '../records/wire-types';
import { parse } from '../validation/parse';
import {
  attributes,
  flag,
  id,
  oneOf,
  refusal,
  refused,
  text,
  textLike,
  textOfLength,
} from '../validation/schemas';
import { type NewEndpointAttributes, readNewEndpoint } from './endpoint-attributes';
import { forEachTreatment, readSection, type UnknownAttributes } from './request-body';

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const timeExpected = 'a time such as 2026-01-31T08:00:00Z';
const timestamp = textLike(RFC_3339, timeExpected)
  .refine((time) => !Number.isNaN(Date.parse(time)), timeExpected)
  .transform((time) => new Date(time).toISOString());
/** The service stores it to the second. */
const expiry = timestamp.transform((time) => time.replace(/\.\d+Z$/, 'Z'));

const BODY = attributes({
  branch: z.unknown(),
  endpoints: z.array(z.looseObject({}, 'an object'), 'a list of objects'),
  annotation_value: refused,
});

const name = textOfLength(1, 256);
const BRANCH_CHANGE = forEachTreatment(attributes({ name, protected: flag, expires_at: expiry.nullable() }));
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
  expires_at: expiry,
});
const BRANCH = forEachTreatment(branch);
const RESTORE = forEachTreatment(
  attributes({
    source_lsn: text,
    source_timestamp: timestamp,
    preserve_under_name: name.or(z.literal('')),
  }).extend({
    source_branch_id: id,
  }),
);

/** The attributes of a new branch, and the endpoints to create with it, which sets their `branch_id`. */
export type NewBranch = Omit<z.infer<typeof branch>, 'archived'> & {
  readonly endpoints: readonly Omit<NewEndpointAttributes, 'branch_id'>[];
};

/** A change of a branch: absent attributes keep their values, and null removes the expiration. */
export type BranchChange = Partial<Pick<Branch, 'name' | 'protected'>> & { expires_at?: string | null };

export type BranchRestore = z.infer<(typeof RESTORE)['ignore']>;

/** The body is optional, and so is every attribute in it. */
export function readNewBranch(body: unknown = {}, unknownAttributes: UnknownAttributes): NewBranch {
  const { branch: section = {}, endpoints = [] } = parse(BODY, body);
  const { archived: _, ...requested } = parse(BRANCH[unknownAttributes], section, 'branch');
  return {
    ...requested,
    // The branch has no id yet; addBranch sets the real one.
    endpoints: endpoints.map((endpoint) =>
      readNewEndpoint({ ...endpoint, branch_id: 'new' }, unknownAttributes),
    ),
  };
}

export function readBranchChange(body: unknown, unknownAttributes: UnknownAttributes): BranchChange {
  return parse(BRANCH_CHANGE[unknownAttributes], readSection(body, 'branch'), 'branch');
}

export function readBranchRestore(body: unknown, unknownAttributes: UnknownAttributes): BranchRestore {
  return parse(RESTORE[unknownAttributes], body);
}
