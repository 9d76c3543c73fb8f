/**
 * What a failed request means for the work that it requested.
 * - `not done`: the service did nothing; any request may be sent again.
 * - `unknown`: the work may have happened, as after a lost response. A GET may be sent again; a write needs a lookup.
 * - `refused`: the response is final; sending the request again changes nothing.
 */
export type FailureMeaning = 'not done' | 'unknown' | 'refused';

/** Exceptions. Any other 4xx is `refused`, and any other 5xx `unknown`. */
const meaningOfStatus: Readonly<Record<number, FailureMeaning>> = {
  // Request Timeout and Too Early: the service, or a proxy in front of it, may have passed the request on.
  408: 'unknown',
  425: 'unknown',
  423: 'not done',
  429: 'not done',
  503: 'not done',
  // The server did not understand the request.
  501: 'refused',
  505: 'refused',
};

const meaningOfNetworkError: Readonly<Record<string, FailureMeaning>> = {
  // Without a connection, nothing was requested.
  ECONNREFUSED: 'not done',
  ENOTFOUND: 'not done',
  EAI_AGAIN: 'not done',
  ENETUNREACH: 'not done',
  EHOSTUNREACH: 'not done',
  // A retry would fail the same check.
  DEPTH_ZERO_SELF_SIGNED_CERT: 'refused',
  SELF_SIGNED_CERT_IN_CHAIN: 'refused',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'refused',
  CERT_HAS_EXPIRED: 'refused',
  ERR_TLS_CERT_ALTNAME_INVALID: 'refused',
  ERR_INVALID_URL: 'refused',
  ERR_FR_TOO_MANY_REDIRECTS: 'refused',
  // Nothing was sent, because only something else has answered so far.
  NOT_THE_SERVICE: 'refused',
};

/** The code of a response that is not JSON, or does not have the documented shape. */
export const malformedResponseCode = 'MALFORMED_RESPONSE';

/** The code of a response that something else sent, before the service has answered. */
export const elsewhereCode = 'NOT_THE_SERVICE';

/** The code of a request that the rate limiter could not send before its deadline. */
export const notSentCode = 'NOT_SENT';

/** The code of a request that was not sent because the user has interrupted the run. */
export const interruptedCode = 'INTERRUPTED';

/** Whether the user has interrupted the request, before it was sent or since (the code of axios). */
export function isInterruption(code: string | undefined): boolean {
  return code === interruptedCode || code === 'ERR_CANCELED';
}

/** @param code the code of the network error, used only if no response arrived */
export function meaningOfFailure(status: number | undefined, code: string | undefined): FailureMeaning {
  if (code === notSentCode || code === interruptedCode) return 'not done';
  if (status === undefined) return (code !== undefined && meaningOfNetworkError[code]) || 'unknown';
  // A 2xx that broke off or has another shape: the work was most likely done.
  return meaningOfStatus[status] ?? (status < 300 || status >= 500 ? 'unknown' : 'refused');
}

/** Whether the same request may be sent again without a lookup. */
export function maySendAgain(method: string, meaning: FailureMeaning): boolean {
  return meaning === 'not done' || (meaning === 'unknown' && method.toUpperCase() === 'GET');
}
