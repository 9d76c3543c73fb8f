/** Every fault that can be injected, as data: the library and `POST /admin/faults` take the same objects. */

export interface RequestMatch {
  /** HTTP method. @default any */
  readonly method?: string;
  /**
   * Path after the version segment, without the query. In a string of up to 500 characters, `:x` matches one segment and
   * `**`, at most once, any characters: `/projects/:p/endpoints`. A program can also pass a regular expression, which may
   * match any part of the path and can take any time. @default any
   */
  readonly path?: string | RegExp;
}

export interface OperationMatch {
  /** An action, such as `start_compute`. @default any */
  readonly action?: string;
  /** Only operations of this endpoint. @default any */
  readonly endpointId?: string;
  /** Only operations of this project. @default any */
  readonly projectId?: string;
}

export type RequestEffect =
  /** Closes the connection before the request takes effect. */
  | { readonly kind: 'lost-before-work' }
  /** Closes the connection after the request has taken effect. */
  | { readonly kind: 'lost-after-work' }
  /** Responds with an error status. */
  | {
      readonly kind: 'status';
      /** 400..599, for example 429 or 503. */
      readonly status: number;
      /** @default 'before-work' */
      readonly when?: 'before-work' | 'after-work';
      /** Seconds for the Retry-After header. @default no such header */
      readonly retryAfterSeconds?: number;
      /** @default 'seconds' */
      readonly retryAfterFormat?: 'seconds' | 'http-date';
      /** @default 'INJECTED_FAULT' */
      readonly code?: string;
      /** @default a message that names the fault */
      readonly message?: string;
    }
  /**
   * Responds like a proxy in front of the service: with a page of any status, including 2xx, and without X-Request-ID.
   * Statuses without a body in HTTP (204, 304) have none here either.
   */
  | {
      readonly kind: 'proxy-page';
      /** 200..599 */
      readonly status: number;
      /** @default 'before-work' */
      readonly when?: 'before-work' | 'after-work';
      /** @default 'text/html' */
      readonly contentType?: string;
      /** For example `{"message":"no Route matched"}`. @default an HTML page with the status */
      readonly body?: string;
    }
  /** Delays the response. The request takes effect before the delay, or after it with `when: 'before-work'`. */
  | {
      readonly kind: 'slow';
      /** Milliseconds. */
      readonly delayMs: number;
      /** Whether the delay comes before or after the request takes effect. @default 'after-work' */
      readonly when?: 'before-work' | 'after-work';
    }
  /** The request takes effect, and the JSON of the response ends in the middle; the HTTP response is complete. */
  | { readonly kind: 'malformed' }
  /**
   * The request takes effect, status and headers arrive, and the body breaks off in the middle: the connection closes
   * before Content-Length bytes have arrived. With `gzip`, the response is compressed even if the client does not accept
   * that, and the compressed stream breaks instead of the connection. A response without a body (204) arrives complete.
   */
  | {
      readonly kind: 'cut-off';
      /** @default none */
      readonly encoding?: 'gzip';
    }
  /** The request takes effect, and the response lists each operation twice. */
  | { readonly kind: 'repeated-operations' }
  /** The request takes effect, and the response lists the operations in reverse order. */
  | { readonly kind: 'reversed-operations' }
  /**
   * The response shows the state of `lateMs` milliseconds ago, even if that was before the fault was injected. Matches only
   * GETs of endpoints, operations and branches, both lists and single records, and overrides the options `lateListsMs`
   * and `lateGetsMs`.
   */
  | {
      readonly kind: 'late-read';
      /** 1..60000 milliseconds. */
      readonly lateMs: number;
    };

export type OperationEffect =
  /** The operation runs for its usual time and fails; the later operations of its request are cancelled. */
  | {
      readonly kind: 'operation-fails';
      /** @default 'failed' */
      readonly status?: 'failed' | 'error' | 'cancelled';
      /** @default a message that names the action */
      readonly error?: string;
    }
  /** The operation runs until the fault is cleared, then finishes. */
  | { readonly kind: 'operation-hangs' }
  /** The operation shows this status until the fault is cleared, then finishes. */
  | { readonly kind: 'operation-status'; readonly status: string };

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
