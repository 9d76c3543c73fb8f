import { z } from 'zod';
import type { Settings } from '../options/emulator-options';
import { badRequest } from '../records/api-error';
import { parse } from '../validation/parse';

export type UnknownAttributes = Settings['unknownAttributes'];

const OBJECT = z.record(z.string(), z.unknown(), 'an object');

/** What is under `key` of a request body. */
export function sectionOf(body: unknown, key: string): unknown {
  return parse(OBJECT, body, '', () => badRequest(`the request body must be an object with ${key}`))[key];
}

/** Reads the attributes in the schema, from under `key` of a request body, or as a program passes them. */
export function section<Shape extends z.ZodRawShape>(key: string, schema: z.ZodObject<Shape>) {
  const schemas = { ignore: schema, reject: schema.strict() };
  const read = (attributes: unknown, unknownAttributes: UnknownAttributes) =>
    parse(schemas[unknownAttributes], attributes, key);
  const readBody = (body: unknown, unknownAttributes: UnknownAttributes) =>
    read(sectionOf(body, key), unknownAttributes);
  return { read, readBody };
}
