import { describe, expect, it } from 'vitest';
import { malformedResponseCode, maySendAgain, meaningOfFailure, notSentCode } from './failure-meaning';

describe('meaningOfFailure', () => {
  it.each([
    [423, 'not done'],
    [429, 'not done'],
    [503, 'not done'],
    // A response that broke off or can't be understood: the work was most likely done.
    [200, 'unknown'],
    [201, 'unknown'],
    [204, 'unknown'],
    [408, 'unknown'],
    [425, 'unknown'],
    [500, 'unknown'],
    [502, 'unknown'],
    [504, 'unknown'],
    [507, 'unknown'],
    [520, 'unknown'],
    [524, 'unknown'],
    [599, 'unknown'],
    [501, 'refused'],
    [505, 'refused'],
    [302, 'refused'],
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [409, 'refused'],
    [422, 'refused'],
  ])('maps status %d to "%s"', (status, meaning) => {
    expect(meaningOfFailure(status, undefined)).toBe(meaning);
  });

  it.each([
    [notSentCode, 'not done'],
    ['ECONNREFUSED', 'not done'],
    ['ENOTFOUND', 'not done'],
    ['EAI_AGAIN', 'not done'],
    ['ENETUNREACH', 'not done'],
    ['EHOSTUNREACH', 'not done'],
    ['ECONNRESET', 'unknown'],
    ['ECONNABORTED', 'unknown'],
    ['ETIMEDOUT', 'unknown'],
    [malformedResponseCode, 'unknown'],
    [undefined, 'unknown'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'refused'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'refused'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'refused'],
    ['CERT_HAS_EXPIRED', 'refused'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'refused'],
    ['ERR_INVALID_URL', 'refused'],
    ['ERR_FR_TOO_MANY_REDIRECTS', 'refused'],
  ])('maps network error %s to "%s"', (code, meaning) => {
    expect(meaningOfFailure(undefined, code)).toBe(meaning);
  });

  it('prefers the status to the code of a network error', () => {
    expect(meaningOfFailure(422, 'ECONNREFUSED')).toBe('refused');
  });

  it.each([
    [200, 'unknown'],
    [201, 'unknown'],
    [404, 'refused'],
  ])('maps a malformed response with status %d to "%s"', (status, meaning) => {
    expect(meaningOfFailure(status, malformedResponseCode)).toBe(meaning);
  });
});

describe('maySendAgain', () => {
  it.each([
    ['not done', true, true],
    ['unknown', true, false],
    ['refused', false, false],
  ] as const)('for work that is %s lets a GET be sent again: %s, a write: %s', (meaning, get, write) => {
    for (const method of ['GET', 'get']) expect(maySendAgain(method, meaning)).toBe(get);
    for (const method of ['POST', 'PATCH', 'DELETE']) expect(maySendAgain(method, meaning)).toBe(write);
  });
});
