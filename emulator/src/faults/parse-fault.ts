import { badRequest } from '../records/api-error';
import { LONGEST_LAG_MS } from '../records/history';
import {
  type Check,
  type Checks,
  check,
  isObject,
  isOneOf,
  isText,
  isTextLike,
  isTextOfLength,
  isWholeNumber,
} from '../requests/attribute-checks';
import { readAttributes, readSection } from '../requests/request-body';
import type { Fault } from './fault-types';

const LONGEST_DELAY_MS = 2 ** 31 - 1;

const isWhen = isOneOf('before-work', 'after-work');
/** Longer than any path of the API. */
const isPatternText = isTextOfLength(0, 500);
const isPathPattern: Check = (value) => (value instanceof RegExp ? undefined : isPatternText(value));
const isHeaderText = isTextLike(/^[\x20-\x7e]{1,200}$/, 'a string of 1 to 200 printable ASCII characters');
const isTimes = check(
  (value) => value === 'always' || isWholeNumber(1, 1_000_000)(value) === undefined,
  'a whole number from 1 to 1000000, or "always"',
);

/** The attributes of each kind of effect, besides `kind`. */
const REQUEST_EFFECTS: Readonly<Record<string, Checks>> = {
  'lost-before-work': {},
  'lost-after-work': {},
  status: {
    status: isWholeNumber(400, 599),
    when: isWhen,
    retryAfterSeconds: isWholeNumber(0, 86_400),
    retryAfterFormat: isOneOf('seconds', 'http-date'),
    code: isText,
    message: isText,
  },
  'proxy-page': { status: isWholeNumber(200, 599), when: isWhen, contentType: isHeaderText, body: isText },
  slow: { delayMs: isWholeNumber(0, LONGEST_DELAY_MS), when: isWhen },
  malformed: {},
  'cut-off': { encoding: isOneOf('gzip') },
  'repeated-operations': {},
  'reversed-operations': {},
  'late-read': { lateMs: isWholeNumber(1, LONGEST_LAG_MS) },
};

const OPERATION_EFFECTS: Readonly<Record<string, Checks>> = {
  'operation-fails': { status: isOneOf('failed', 'error', 'cancelled'), error: isText },
  'operation-hangs': {},
  'operation-status': { status: isTextOfLength(1, 64) },
};

const REQUIRED: Readonly<Record<string, string>> = {
  status: 'status',
  'proxy-page': 'status',
  slow: 'delayMs',
  'late-read': 'lateMs',
  'operation-status': 'status',
};

const REQUEST_MATCH: Checks = { method: isText, path: isPathPattern };
const OPERATION_MATCH: Checks = { action: isText, endpointId: isText, projectId: isText };

/** Validates a fault from JSON or from an untyped program. @throws ApiError that names the invalid attribute */
export function parseFault(value: unknown): Fault {
  if (!isObject(value)) throw badRequest('a fault must be an object with match and effect');
  const { match: _match, effect: _effect, ...repetition } = value;
  const { kind, ...details } = readSection(value, 'effect');
  const isForRequests = typeof kind === 'string' && Object.hasOwn(REQUEST_EFFECTS, kind);
  const effects = isForRequests ? REQUEST_EFFECTS : OPERATION_EFFECTS;
  if (typeof kind !== 'string' || !Object.hasOwn(effects, kind)) {
    const kinds = Object.keys({ ...REQUEST_EFFECTS, ...OPERATION_EFFECTS });
    throw badRequest(`effect.kind must be one of ${kinds.join(', ')}`);
  }
  const required = REQUIRED[kind];
  if (required !== undefined && details[required] === undefined) {
    throw badRequest(`effect.${required} is required for the effect ${kind}`);
  }
  const match = readSection(value, 'match', true);
  // The checks match the type.
  return {
    match: readAttributes(match, 'match', isForRequests ? REQUEST_MATCH : OPERATION_MATCH, 'reject'),
    effect: { kind, ...readAttributes(details, 'effect', effects[kind] ?? {}, 'reject') },
    times: 1,
    ...readAttributes(repetition, 'fault', { times: isTimes }, 'reject'),
  } as Fault;
}
