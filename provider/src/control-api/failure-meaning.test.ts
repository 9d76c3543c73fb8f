import { describe, expect, it } from 'vitest';
import { maySendAgain, meaningOfFailure } from './failure-meaning';

describe('what a failed request says about the work', () => {
  it.each([
    [423, 'not done'],
    [429, 'not done'],
    [503, 'not done'],
    [500, 'unknown'],
    [502, 'unknown'],
    [504, 'unknown'],
    ['ECONNRESET', 'unknown'],
    ['ECONNABORTED', 'unknown'],
    ['ETIMEDOUT', 'unknown'],
    ['MALFORMED_ANSWER', 'unknown'],
    ['ECONNREFUSED', 'not done'],
    ['ENOTFOUND', 'not done'],
    ['EAI_AGAIN', 'not done'],
    ['ENETUNREACH', 'not done'],
    ['EHOSTUNREACH', 'not done'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'refused'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'refused'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'refused'],
    ['CERT_HAS_EXPIRED', 'refused'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'refused'],
    ['ERR_INVALID_URL', 'refused'],
    ['ERR_FR_TOO_MANY_REDIRECTS', 'refused'],
    [undefined, 'unknown'],
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [409, 'refused'],
    [422, 'refused'],
    [302, 'refused'],
  ])('%s: %s', (failure, meaning) => {
    const [status, code] = typeof failure === 'number' ? [failure, undefined] : [undefined, failure];
    expect(meaningOfFailure(status, code)).toBe(meaning);
  });

  it.each([200, 201, 404])('nothing, when the answer of status %d makes no sense', (status) => {
    expect(meaningOfFailure(status, 'MALFORMED_ANSWER')).toBe('unknown');
  });

  it('what its status says, whatever error code the service sends along', () => {
    expect(meaningOfFailure(422, 'ECONNREFUSED')).toBe('refused');
  });
});

describe('a request may be sent again', () => {
  it.each([
    ['not done', true, true],
    ['unknown', true, false],
    ['refused', false, false],
  ] as const)('when the work is %s: GET %s, a write %s', (meaning, get, write) => {
    for (const method of ['GET', 'get']) expect(maySendAgain(method, meaning)).toBe(get);
    for (const method of ['POST', 'PATCH', 'DELETE']) expect(maySendAgain(method, meaning)).toBe(write);
  });
});
