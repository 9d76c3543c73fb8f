import { z } from 'zod';
import { badRequest } from '../records/api-error';
import { TIMESTAMP } from '../records/clock';
import { parse } from '../validation/parse';
import { id, oneOf, textLike, wholeNumber } from '../validation/schemas';

/** Fastify's parser returns a list for a repeated parameter. */
export const queryText = z.string('sent once');
export const queryFlag = queryText.pipe(oneOf('true', 'false')).transform((choice) => choice === 'true');

/**
 * The creation time of the last record of the previous page. No two records share a time, so pages stay exact while
 * records are added, and after the last one of a page is deleted.
 */
export const timeCursor = queryText.pipe(textLike(TIMESTAMP, 'the cursor of an earlier response'));

export function queryWhole(min: number, max: number) {
  return queryText
    .transform((digits) => (/^\d{1,6}$/.test(digits) ? Number(digits) : Number.NaN))
    .pipe(wholeNumber(min, max));
}

/** The query parameters in the schema. Others are ignored. */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.infer<Schema> {
  return parse(schema, query, '', (message) => badRequest(`query parameter ${message}`));
}

export const CONNECTION_QUERY = z.object({
  branch_id: queryText.pipe(id).optional(),
  endpoint_id: queryText.pipe(id).optional(),
  database_name: queryText,
  role_name: queryText,
  pooled: queryFlag.optional(),
});
export type ConnectionQuery = z.infer<typeof CONNECTION_QUERY>;
