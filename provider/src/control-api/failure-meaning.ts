/**
 * What a failed request says about the work it asked for.
 * - `not done`: the service has not done it; the same request may be sent again, whatever its method.
 * - `unknown`: the response was lost; the work may have happened. A GET may be sent again; a write is looked up first.
 * - `refused`: a final response; sending it again changes nothing.
 */
export type FailureMeaning = 'not done' | 'unknown' | 'refused';

const notDone: ReadonlySet<number> = new Set([423, 429, 503]);
/** Request Timeout and Too Early: the service, or a proxy in front of it, may have passed the request on. */
const cutShort: ReadonlySet<number> = new Set([408, 425]);
/** Server errors that say the request was never understood. */
const neverDone: ReadonlySet<number> = new Set([501, 505]);

function meaningOfStatus(status: number): FailureMeaning {
  if (notDone.has(status)) return 'not done';
  if (neverDone.has(status)) return 'refused';
  // A 2xx that broke off or cannot be understood: the work was most likely done.
  if (status < 300 || status >= 500 || cutShort.has(status)) return 'unknown';
  return 'refused';
}

const meaningOfNetworkError: Readonly<Record<string, FailureMeaning>> = {
  // No connection was made, so nothing was asked.
  ECONNREFUSED: 'not done',
  ENOTFOUND: 'not done',
  EAI_AGAIN: 'not done',
  ENETUNREACH: 'not done',
  EHOSTUNREACH: 'not done',
  // A connection that can't be trusted will not be trusted the next time either.
  DEPTH_ZERO_SELF_SIGNED_CERT: 'refused',
  SELF_SIGNED_CERT_IN_CHAIN: 'refused',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'refused',
  CERT_HAS_EXPIRED: 'refused',
  ERR_TLS_CERT_ALTNAME_INVALID: 'refused',
  ERR_INVALID_URL: 'refused',
  ERR_FR_TOO_MANY_REDIRECTS: 'refused',
};

/** The code of a response that is no JSON, or JSON of another shape than the call's. */
export const malformedResponseCode = 'MALFORMED_RESPONSE';

/** The code of a request that the rate limiter did not let out before its deadline. */
export const notSentCode = 'NOT_SENT';

/** The meaning of a failure with this HTTP status, or with this network error code when no response came. */
export function meaningOfFailure(status: number | undefined, code: string | undefined): FailureMeaning {
  if (code === notSentCode) return 'not done';
  if (status !== undefined) return meaningOfStatus(status);
  return (code !== undefined && meaningOfNetworkError[code]) || 'unknown';
}

/** Whether the same request may be sent again without looking up its work first. */
export function maySendAgain(method: string, meaning: FailureMeaning): boolean {
  return meaning === 'not done' || (meaning === 'unknown' && method.toUpperCase() === 'GET');
}
