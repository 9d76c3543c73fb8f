import { z } from 'zod';
import { badRequest, notImplemented } from '../records/api-error';

/** Options whose values no message repeats. */
const SECRETS: readonly string[] = ['apiKey'];

/**
 * Returns the value in the form that the schema describes. `path` is the prefix of its attributes, such as `endpoint`.
 * @throws the error that `refuse` returns for a message, which names the first invalid attribute
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path = '',
  refuse: (message: string) => Error = badRequest,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (issue?.code === 'custom' && issue.params?.isRefused)
    throw notImplemented(`${nameOf(issue, path)} ${show(valueAt(value, issue.path))}`);
  throw refuse(issue === undefined ? error.message : explain(issue, value, path));
}

function explain(issue: z.core.$ZodIssue, value: unknown, path: string): string {
  const keys = keysOf(issue);
  const name = nameOf(issue, path);
  if (issue.code === 'unrecognized_keys') return `${name} is ${issue.message}`;
  if (!isPresent(value, keys)) return `${name} is required: ${issue.message}`;
  const got = SECRETS.includes(name) ? '' : `; got ${show(valueAt(value, keys))}`;
  return `${name} must be ${issue.message}${got}`;
}

function keysOf(issue: z.core.$ZodIssue): PropertyKey[] {
  return [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
}

function nameOf(issue: z.core.$ZodIssue, path: string): string {
  return [path, ...keysOf(issue)].filter((part) => part !== '').join('.') || 'the request body';
}

/** An attribute that is present but undefined comes from a program, not from JSON. */
function isPresent(value: unknown, keys: readonly PropertyKey[]): boolean {
  const key = keys.at(-1);
  if (key === undefined) return value !== undefined;
  return Object.hasOwn(Object(valueAt(value, keys.slice(0, -1))), key);
}

function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  // Each key of an issue exists in the value, except perhaps the last.
  return keys.reduce((object, key) => (object as Record<PropertyKey, unknown>)[key], value);
}

function show(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}

const OBJECT = z.record(z.string(), z.unknown(), 'an object');

/** What is under `key` of a request body. */
function sectionOf(body: unknown, key: string): unknown {
  return parse(OBJECT, body, '', () => badRequest(`the request body must be an object with ${key}`))[key];
}

/** Reads the attributes in the schema. A request may have others, which are ignored; a program may not. */
export function section<Shape extends z.ZodRawShape>(key: string, schema: z.ZodObject<Shape>) {
  return {
    read: (attributes: unknown) => parse(schema.strict(), attributes, key),
    readBody: (body: unknown) => parse(schema, sectionOf(body, key), key),
  };
}
