import { z } from 'zod';
import { LONGEST_LAG_MS } from '../records/history';
import { parse } from '../validation/parse';
import {
  type Accepted,
  oneOf,
  requiredAttributes,
  text,
  textLike,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';

// Every fault that can be injected, as data: the library and `POST /admin/faults` take the same objects.

const LONGEST_DELAY_MS = 2 ** 31 - 1;

const when = oneOf('before-work', 'after-work').exactOptional();
const headerText = textLike(/^[\x20-\x7e]{1,200}$/, 'a string of 1 to 200 printable ASCII characters');

/** The attributes of each kind, besides `kind`. */
const REQUEST_EFFECTS = {
  /** Closes the connection before the request takes effect. */
  'lost-before-work': {},
  /** Closes the connection after the request has taken effect. */
  'lost-after-work': {},
  /** Responds with an error status. */
  status: {
    /** 400..599, for example 429 or 503. */
    status: wholeNumber(400, 599),
    /** @default 'before-work' */
    when,
    /** Seconds for the Retry-After header. @default no such header */
    retryAfterSeconds: wholeNumber(0, 86_400).exactOptional(),
    /** @default 'seconds' */
    retryAfterFormat: oneOf('seconds', 'http-date').exactOptional(),
    /** @default 'INJECTED_FAULT' */
    code: text.exactOptional(),
    /** @default a message that names the fault */
    message: text.exactOptional(),
  },
  /**
   * Responds like a proxy in front of the service: with a page of any status, including 2xx, and without X-Request-ID.
   * Statuses without a body in HTTP (204, 304) have none here either.
   */
  'proxy-page': {
    /** 200..599 */
    status: wholeNumber(200, 599),
    /** @default 'before-work' */
    when,
    /** @default 'text/html' */
    contentType: headerText.exactOptional(),
    /** For example `{"message":"no Route matched"}`. @default an HTML page with the status */
    body: text.exactOptional(),
  },
  /** Delays the response. The request takes effect before the delay, or after it with `when: 'before-work'`. */
  slow: {
    /** Milliseconds. */
    delayMs: wholeNumber(0, LONGEST_DELAY_MS),
    /** Whether the delay comes before or after the request takes effect. @default 'after-work' */
    when,
  },
  /** The request takes effect, and the JSON of the response ends in the middle; the HTTP response is complete. */
  malformed: {},
  /**
   * The request takes effect, status and headers arrive, and the body breaks off in the middle: the connection closes
   * before Content-Length bytes have arrived. With `gzip`, the response is compressed even if the client does not accept
   * that, and the compressed stream breaks instead of the connection. A response without a body (204) arrives complete.
   */
  'cut-off': {
    /** @default none */
    encoding: oneOf('gzip').exactOptional(),
  },
  /** The request takes effect, and the response lists each operation twice. */
  'repeated-operations': {},
  /** The request takes effect, and the response lists the operations in reverse order. */
  'reversed-operations': {},
  /**
   * The response shows the state of `lateMs` milliseconds ago, even if that was before the fault was injected. Matches only
   * GETs of endpoints, operations and branches, both lists and single records, and overrides the options `lateListsMs`
   * and `lateGetsMs`.
   */
  'late-read': {
    /** 1..60000 milliseconds. */
    lateMs: wholeNumber(1, LONGEST_LAG_MS),
  },
};

const OPERATION_EFFECTS = {
  /** The operation runs for its usual time and fails; the later operations of its request are cancelled. */
  'operation-fails': {
    /** @default 'failed' */
    status: oneOf('failed', 'error', 'cancelled').exactOptional(),
    /** @default a message that names the action */
    error: text.exactOptional(),
  },
  /** The operation runs until the fault is cleared, then finishes. */
  'operation-hangs': {},
  /** The operation shows this status until the fault is cleared, then finishes. */
  'operation-status': { status: textOfLength(1, 64) },
};

const pathExpected = 'a path of up to 500 characters, with at most one ** and each :x a whole segment';
/** Longer than any path of the API. */
const pattern = z
  .string(pathExpected)
  .refine((path) => path.length <= 500 && !/\*\*.*\*\*|[^/]:\w|:\w+[^/\w]/s.test(path), pathExpected);

const REQUEST_MATCH = {
  /** HTTP method. @default any */
  method: text.exactOptional(),
  /**
   * Path after the version segment, without the query, of up to 500 characters. `:x` matches one segment and `**`, at most
   * once, any characters: `/projects/:p/endpoints`. @default any
   */
  path: pattern.exactOptional(),
};

const OPERATION_MATCH = {
  /** An action, such as `start_compute`. @default any */
  action: text.exactOptional(),
  /** Only operations of this endpoint. @default any */
  endpointId: text.exactOptional(),
  /** Only operations of this project. @default any */
  projectId: text.exactOptional(),
};

const EFFECTS = { ...REQUEST_EFFECTS, ...OPERATION_EFFECTS };
// Object.keys() returns string[], not the key type of the table.
const KINDS = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

const FAULT = requiredAttributes({
  match: z.unknown().exactOptional(),
  effect: z.looseObject({ kind: z.literal(KINDS, `one of ${KINDS.join(', ')}`) }, 'an object with kind'),
  times: z
    .union([z.literal('always'), wholeNumber(1, 1_000_000)], 'a whole number from 1 to 1000000, or "always"')
    .exactOptional(),
}).strict();

type EffectsOf<Table extends Readonly<Record<string, z.ZodRawShape>>> = {
  readonly [Kind in keyof Table]: { readonly kind: Kind } & Accepted<Table[Kind]> extends infer Effect
    ? { readonly [Name in keyof Effect]: Effect[Name] }
    : never;
};

/**
 * What can be done to a request, by kind.
 * @interface
 */
export type RequestEffects = EffectsOf<typeof REQUEST_EFFECTS>;
export type RequestEffect = RequestEffects[keyof RequestEffects];

/**
 * What can be done to an operation, by kind.
 * @interface
 */
export type OperationEffects = EffectsOf<typeof OPERATION_EFFECTS>;
export type OperationEffect = OperationEffects[keyof OperationEffects];

/** @interface */
export type RequestMatch = Accepted<typeof REQUEST_MATCH>;
/** @interface */
export type OperationMatch = Accepted<typeof OPERATION_MATCH>;

interface Repeated {
  /** How many requests or operations it applies to; `'always'` means until it is cleared. @default 1 */
  readonly times?: number | 'always';
}

export interface RequestFault extends Repeated {
  readonly match: RequestMatch;
  readonly effect: RequestEffect;
}

export interface OperationFault extends Repeated {
  readonly match: OperationMatch;
  readonly effect: OperationEffect;
}

export type Fault = RequestFault | OperationFault;

/** A fault that has been injected. */
export interface InjectedFault {
  readonly id: string;
  readonly fault: Fault;
  /** How many requests or operations it has applied to so far. */
  readonly hits: number;
  /** Removes the fault and lets the operations that it holds finish. */
  clear(): void;
}

export function isRequestFault(fault: Fault): fault is RequestFault {
  return fault.effect.kind in REQUEST_EFFECTS;
}

/** Validates a fault from JSON or from an untyped program. @throws ApiError that names the invalid attribute */
export function parseFault(value: unknown): Fault {
  const { match = {}, effect: requested, times = 1 } = parse(FAULT, value, 'fault');
  const { kind } = requested;
  const effectSchema = requiredAttributes({ kind: z.literal(kind), ...EFFECTS[kind] }).strict();
  const matchSchema = requiredAttributes(kind in REQUEST_EFFECTS ? REQUEST_MATCH : OPERATION_MATCH).strict();
  const effect = parse(effectSchema, requested, 'fault.effect');
  // The tables have both the schemas and the types.
  return { match: parse(matchSchema, match, 'fault.match'), effect, times } as Fault;
}
