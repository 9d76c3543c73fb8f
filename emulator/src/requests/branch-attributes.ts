import { z } from 'zod';
import type { Branch } from '../records/wire-types';
import { parse } from '../validation/parse';
import { attributes, flag, oneOf, text, textLike, textOfLength } from '../validation/schemas';
import { type NewEndpointAttributes, readNewEndpoint } from './endpoint-attributes';
import { annotations } from './nested-attributes';
import { forEachTreatment, readSection, type UnknownAttributes } from './request-body';

export interface NewBranch {
  readonly name?: string | undefined;
  /** The parent branch. @default the primary branch */
  readonly parentId?: string | undefined;
  readonly parentLsn?: string | undefined;
  readonly parentTimestamp?: string | undefined;
  readonly isProtected?: boolean | undefined;
  /** The endpoints to create with the branch, which sets their `branch_id`. */
  readonly endpoints: readonly Omit<NewEndpointAttributes, 'branch_id'>[];
}

/** A change of a branch: absent attributes keep their values. */
export type BranchChange = Partial<Pick<Branch, 'name' | 'protected'>>;

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const timeExpected = 'a time such as 2026-01-31T08:00:00Z';
const timestamp = textLike(RFC_3339, timeExpected).refine(
  (time) => !Number.isNaN(Date.parse(time)),
  timeExpected,
);

const BODY = attributes({
  branch: z.unknown(),
  endpoints: z.array(z.looseObject({}, 'an object'), 'a list of objects'),
  annotation_value: annotations,
});

const name = textOfLength(1, 256);
// Nothing expires.
const BRANCH_CHANGE = forEachTreatment(
  attributes({ name, protected: flag, expires_at: timestamp.nullable() }),
);
const BRANCH = forEachTreatment(
  attributes({
    name,
    parent_id: textLike(/^[a-z0-9-]{0,60}$/, 'empty or an id (1 to 60 of a-z, 0-9 and "-")'),
    protected: flag,
    archived: flag,
    init_source: oneOf('parent-data', 'schema-only'),
    parent_lsn: text,
    parent_timestamp: timestamp,
    expires_at: timestamp,
  }),
);

/** The body is optional, and so is every attribute in it. */
export function readNewBranch(body: unknown = {}, unknownAttributes: UnknownAttributes): NewBranch {
  const { branch = {}, endpoints = [] } = parse(BODY, body);
  const requested = parse(BRANCH[unknownAttributes], branch, 'branch');
  const { parent_timestamp: time } = requested;
  return {
    name: requested.name,
    parentId: requested.parent_id || undefined,
    parentLsn: requested.parent_lsn,
    parentTimestamp: time === undefined ? undefined : new Date(time).toISOString(),
    isProtected: requested.protected,
    // The branch has no id yet; addBranch sets the real one.
    endpoints: endpoints.map((endpoint) =>
      readNewEndpoint({ ...endpoint, branch_id: 'new' }, unknownAttributes),
    ),
  };
}

export function readBranchChange(body: unknown, unknownAttributes: UnknownAttributes): BranchChange {
  const { expires_at: _, ...change } = parse(
    BRANCH_CHANGE[unknownAttributes],
    readSection(body, 'branch'),
    'branch',
  );
  return change;
}
