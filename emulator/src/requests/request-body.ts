import { z } from 'zod';
import { badRequest } from '../records/api-error';
import { parse } from '../validation/parse';

export type UnknownAttributes = 'ignore' | 'reject';

const OBJECT = z.record(z.string(), z.unknown(), 'an object');

/** The object under `key` of a request body. */
export function readSection(body: unknown, key: string): Record<string, unknown> {
  const refuse = () => badRequest(`the request body must be an object with ${key}`);
  return parse(OBJECT, parse(OBJECT, body, '', refuse)[key], key);
}

/** The schema of a section for each treatment of unknown attributes. */
export function forEachTreatment<Shape extends z.ZodRawShape>(section: z.ZodObject<Shape>) {
  return { ignore: section, reject: section.strict() } satisfies Record<UnknownAttributes, z.ZodType>;
}
