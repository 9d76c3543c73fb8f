/** The faults that can be requested for, as data: the same objects serve the library and `POST /admin/faults`. */

export interface RequestMatch {
  /** HTTP method. @default any */
  readonly method?: string;
  /**
   * Path after the version segment, without the query. In a string of up to 500 characters `:x` stands for one segment,
   * and `**` for any characters: `/projects/:p/endpoints`. It matches in linear time. A regular expression, which only a
   * program can give, is searched for; how long that takes is the program's responsibility. @default any
   */
  readonly path?: string | RegExp;
}

export interface OperationMatch {
  /** Such as `start_compute`. @default any */
  readonly action?: string;
  /** Only operations of this endpoint. @default any */
  readonly endpointId?: string;
  /** Only operations of this project. @default any */
  readonly projectId?: string;
}

export type RequestEffect =
  /** The socket is destroyed and nothing is done. */
  | { readonly kind: 'lost-before-work' }
  /** The work is done, then the socket is destroyed. */
  | { readonly kind: 'lost-after-work' }
  /** An error status instead of the real answer. */
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
      /** @default a sentence that names the fault */
      readonly message?: string;
    }
  /**
   * A proxy in front of the service answers instead of it: a page of any status, also 2xx, without X-Request-ID. Statuses
   * that have no body by HTTP (204, 304) have none here either.
   */
  | {
      readonly kind: 'proxy-page';
      /** 200..599 */
      readonly status: number;
      /** @default 'before-work' */
      readonly when?: 'before-work' | 'after-work';
      /** @default 'text/html' */
      readonly contentType?: string;
      /** For example `{"message":"no Route matched"}`. @default a page of HTML with the status */
      readonly body?: string;
    }
  /** The work is done at once (or after the delay), and the answer comes after the delay. */
  | {
      readonly kind: 'slow';
      /** Milliseconds. */
      readonly delayMs: number;
      /** Where the delay is: before or after the work. @default 'after-work' */
      readonly when?: 'before-work' | 'after-work';
    }
  /** The work is done, and the answer's JSON ends in the middle; the response is complete otherwise. */
  | { readonly kind: 'malformed' }
  /**
   * The work is done, status and headers arrive, and the body breaks off in the middle: the connection closes before
   * Content-Length bytes have arrived. With `gzip` the response is compressed, whatever the client accepts, and the
   * compressed stream breaks instead of the connection. An answer without a body (204) arrives whole.
   */
  | {
      readonly kind: 'cut-off';
      /** @default none */
      readonly encoding?: 'gzip';
    }
  /** The work is done, and the answer lists each operation twice. */
  | { readonly kind: 'repeated-operations' }
  /** The work is done, and the answer lists the operations in the wrong order. */
  | { readonly kind: 'reversed-operations' }
  /**
   * The answer shows the state of so many milliseconds ago, also one from before the fault was injected. It hits GETs of
   * endpoints, operations and branches only, lists and single ones, and overrides the options `lateListsMs` and
   * `lateGetsMs`.
   */
  | {
      readonly kind: 'late-read';
      /** 1..60000 milliseconds. */
      readonly lateMs: number;
    };

export type OperationEffect =
  /** The operation runs its time and fails; the operations after it in its chain are cancelled. */
  | {
      readonly kind: 'operation-fails';
      /** @default 'failed' */
      readonly status?: 'failed' | 'error' | 'cancelled';
      /** @default a sentence that names the action */
      readonly error?: string;
    }
  /** The operation runs until the fault is cleared, then finishes. */
  | { readonly kind: 'operation-hangs' }
  /** The operation shows this status word until the fault is cleared, then finishes. */
  | { readonly kind: 'operation-status'; readonly status: string };

interface Repeated {
  /** How many requests or operations it hits; `'always'`: until it is cleared. @default 1 */
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
  /** How many requests or operations it has hit so far. */
  readonly hits: number;
  /** Stops it, and lets the operations that it holds finish. */
  clear(): void;
}
