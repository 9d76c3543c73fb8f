import { z } from 'zod';
import { badRequest } from '../records/api-error';
import { parse } from '../validation/parse';

const OBJECT = z.record(z.string(), z.unknown(), 'an object');

/** What is under `key` of a request body. */
export function sectionOf(body: unknown, key: string): unknown {
  return parse(OBJECT, body, '', () => badRequest(`the request body must be an object with ${key}`))[key];
}

/** Reads the attributes in the schema. A request may have others, which are ignored; a program may not. */
export function section<Shape extends z.ZodRawShape>(key: string, schema: z.ZodObject<Shape>) {
  return {
    read: (attributes: unknown) => parse(schema.strict(), attributes, key),
    readBody: (body: unknown) => parse(schema, sectionOf(body, key), key),
  };
}
