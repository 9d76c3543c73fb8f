/**
 * What a failed request says about the work it asked for.
 * - `not done`: the service has not done it; the same request may be sent again, whatever its method.
 * - `unknown`: the answer was lost; the work may have happened. A GET may be sent again; after a write, look first.
 * - `refused`: a final answer; sending it again changes nothing.
 */
export type FailureMeaning = 'not done' | 'unknown' | 'refused';

const meaningOfStatus: Readonly<Record<number, FailureMeaning>> = {
  423: 'not done',
  429: 'not done',
  503: 'not done',
  500: 'unknown',
  502: 'unknown',
  504: 'unknown',
};

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

/** The code of an answer that is no JSON, or JSON of another shape than the call's. */
export const malformedAnswerCode = 'MALFORMED_ANSWER';

/** The meaning of a failure with this HTTP status, or with this network error code when no answer came. */
export function meaningOfFailure(status: number | undefined, code: string | undefined): FailureMeaning {
  if (code === malformedAnswerCode) return 'unknown';
  if (status !== undefined) return meaningOfStatus[status] ?? 'refused';
  return (code !== undefined && meaningOfNetworkError[code]) || 'unknown';
}

/** Whether the same request may be sent again without looking first. */
export function maySendAgain(method: string, meaning: FailureMeaning): boolean {
  return meaning === 'not done' || (meaning === 'unknown' && method.toUpperCase() === 'GET');
}
