import { z } from 'zod';
import { LONGEST_LAG_MS } from '../records/history';
import { parse } from '../validation/parse';
import {
  attributes,
  oneOf,
  requiredAttributes,
  text,
  textLike,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';
import type { Fault } from './fault-types';

const LONGEST_DELAY_MS = 2 ** 31 - 1;

const when = oneOf('before-work', 'after-work');
const headerText = textLike(/^[\x20-\x7e]{1,200}$/, 'a string of 1 to 200 printable ASCII characters');
const pathExpected = 'a path of up to 500 characters, with at most one ** and each :x a whole segment';
/** Longer than any path of the API. */
const pattern = z
  .string(pathExpected)
  .refine((path) => path.length <= 500 && !/\*\*.*\*\*|[^/]:\w|:\w+[^/\w]/s.test(path), pathExpected);
const path = z.union([z.instanceof(RegExp), pattern], pathExpected);

function effect<const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return requiredAttributes({ kind: z.literal(kind), ...shape }).strict();
}

const EFFECTS = [
  effect('lost-before-work', {}),
  effect('lost-after-work', {}),
  effect('status', {
    status: wholeNumber(400, 599),
    when: when.exactOptional(),
    retryAfterSeconds: wholeNumber(0, 86_400).exactOptional(),
    retryAfterFormat: oneOf('seconds', 'http-date').exactOptional(),
    code: text.exactOptional(),
    message: text.exactOptional(),
  }),
  effect('proxy-page', {
    status: wholeNumber(200, 599),
    when: when.exactOptional(),
    contentType: headerText.exactOptional(),
    body: text.exactOptional(),
  }),
  effect('slow', { delayMs: wholeNumber(0, LONGEST_DELAY_MS), when: when.exactOptional() }),
  effect('malformed', {}),
  effect('cut-off', { encoding: oneOf('gzip').exactOptional() }),
  effect('repeated-operations', {}),
  effect('reversed-operations', {}),
  effect('late-read', { lateMs: wholeNumber(1, LONGEST_LAG_MS) }),
  effect('operation-fails', {
    status: oneOf('failed', 'error', 'cancelled').exactOptional(),
    error: text.exactOptional(),
  }),
  effect('operation-hangs', {}),
  effect('operation-status', { status: textOfLength(1, 64) }),
] as const;
const KINDS = EFFECTS.map(({ shape }) => shape.kind.value);

const FAULT = requiredAttributes({
  match: z.unknown().exactOptional(),
  effect: z.discriminatedUnion('kind', EFFECTS, {
    error: ({ code }) => (code === 'invalid_union' ? `one of ${KINDS.join(', ')}` : 'an object with kind'),
  }),
  times: z
    .union([z.literal('always'), wholeNumber(1, 1_000_000)], 'a whole number from 1 to 1000000, or "always"')
    .exactOptional(),
}).strict();

const REQUEST_MATCH = attributes({ method: text, path }).strict();
const OPERATION_MATCH = attributes({ action: text, endpointId: text, projectId: text }).strict();

/** Validates a fault from JSON or from an untyped program. @throws ApiError that names the invalid attribute */
export function parseFault(value: unknown): Fault {
  const { match = {}, effect, times = 1 } = parse(FAULT, value, 'fault');
  const matchSchema = effect.kind.startsWith('operation-') ? OPERATION_MATCH : REQUEST_MATCH;
  // The schemas match the type.
  return { match: parse(matchSchema, match, 'fault.match'), effect, times } as Fault;
}
