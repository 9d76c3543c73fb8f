import { AxiosError, AxiosHeaders, type AxiosResponse } from 'axios';
import { describe, expect, it } from 'vitest';
import { findRefusal, isNotFound, toControlApiError } from './control-api-error';
import { makeRedactor } from './redaction';
import { ServiceContact } from './service-contact';

const apiKey = 'canary-key';
const redact = makeRedactor([apiKey]);
const config = { headers: new AxiosHeaders({ Authorization: `Bearer ${apiKey}` }) };

const toError = (error: unknown) => toControlApiError(error, 'GET', '/projects', { redact });

function responseOf(status: number, data: unknown, headers: Record<string, string> = {}): AxiosResponse {
  return { status, data, statusText: '', headers, config };
}

/** The error that axios throws for this response. */
function failedBy(response: AxiosResponse, message = 'Request failed'): AxiosError {
  return new AxiosError(message, 'ERR_BAD_RESPONSE', config, undefined, response);
}

const errorOf = (status: number, data: unknown, headers?: Record<string, string>) =>
  toError(failedBy(responseOf(status, data, headers)));

describe('toControlApiError for a request without a response', () => {
  it.each([
    ['ECONNREFUSED', '', 'connection refused'],
    ['ECONNRESET', '', 'the connection was closed before a response arrived'],
    ['ETIMEDOUT', '', 'no response within the time-out'],
    ['ECONNABORTED', '', 'no response within the time-out'],
    ['ENOTFOUND', '', 'the host name of the base URL is unknown'],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'self-signed certificate',
      'the certificate of the base URL is not trusted (self-signed certificate); to add a certificate authority, set NODE_EXTRA_CA_CERTS to its file',
    ],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:443', 'connect EHOSTUNREACH 10.0.0.1:443'],
    [undefined, 'socket hang up', 'socket hang up'],
  ])('explains the network error %s', (code, message, reason) => {
    const error = toError(new AxiosError(message, code, config));
    expect(error).toMatchObject({
      message: `GET /projects: no usable response: ${reason}`,
      code,
      status: undefined,
      isFromService: false,
    });
  });

  it('explains why the rate limiter did not send a request', () => {
    const error = toError(new AxiosError('not sent before the deadline', 'NOT_SENT', config));
    expect(error).toMatchObject({
      message: 'GET /projects: not sent before the deadline',
      meaning: 'not done',
    });
  });

  it('redacts the key in the message and the cause', () => {
    const error = toError(new AxiosError(`bad header Bearer ${apiKey}`, 'ERR_OTHER', config));
    expect(error.message).toBe('GET /projects: no usable response: bad header Bearer ***');
    expect(error.cause).toEqual(new Error('bad header Bearer ***'));
  });
});

describe("toControlApiError for a response with the service's own body", () => {
  const body = { code: 'LIMIT', message: 'too many', request_id: 'req-1' };

  it("quotes the service's code, message and request id", () => {
    expect(errorOf(422, JSON.stringify(body))).toMatchObject({
      message: 'GET /projects: 422 Unprocessable Entity [LIMIT]: too many (request id req-1)',
      code: 'LIMIT',
      reason: 'too many',
      requestId: 'req-1',
      isFromService: true,
      meaning: 'refused',
    });
  });

  it('takes the request id from the header if the body has none', () => {
    const error = errorOf(500, '{"code":"","message":"oops"}', { 'x-request-id': 'req-2' });
    expect(error.message).toBe('GET /projects: 500 Internal Server Error: oops (request id req-2)');
  });

  it('reads Retry-After and includes it in the message', () => {
    const error = errorOf(429, '{"code":"","message":"slow down"}', { 'retry-after': '7' });
    expect(error).toMatchObject({
      message: 'GET /projects: 429 Too Many Requests: slow down; retry after 7 s',
      retryAfterMs: 7_000,
    });
  });

  it('redacts the key and escapes control characters in the whole body', () => {
    const odd = (what: string) => `${what} ${apiKey}\u001b[2J\r\n::error::`;
    const error = errorOf(409, JSON.stringify({ code: odd('C'), message: odd('M'), request_id: odd('R') }));
    const shown = (what: string) => `${what} ***\\u001b[2J ::error::`;
    expect(error).toMatchObject({
      message: `GET /projects: 409 Conflict [${shown('C')}]: ${shown('M')} (request id ${shown('R')})`,
      code: shown('C'),
      reason: shown('M'),
      requestId: shown('R'),
    });
  });

  it('redacts the key and escapes control characters in a header', () => {
    const error = errorOf(502, '', { 'x-request-id': `req ${apiKey}\u009b` });
    expect(error).toMatchObject({ requestId: 'req ***\\u009b' });
  });
});

describe("toControlApiError for a response without the service's own body", () => {
  it.each([408, 423, 425, 429, 500, 502, 503, 504])(
    'reports that the service gave no reason for status %d',
    (status) => {
      expect(errorOf(status, '<html>', { 'content-type': 'text/html' })).toMatchObject({
        reason: 'the service gave no reason',
        isFromService: false,
      });
    },
  );

  it.each([
    ['a page', '<html>', 'text/html; charset=utf-8', 'text/html'],
    ['nothing', '', 'text/plain', 'text/plain'],
    ["a gateway's own JSON", '{"message":"no Route matched"}', 'application/json', 'other JSON'],
    ['JSON null', 'null', 'application/json', 'other JSON'],
  ])('names the content type of %s', (_what, data, contentType, what) => {
    expect(errorOf(404, data, { 'content-type': contentType }).message).toBe(
      `GET /projects: 404 Not Found: answered with ${what}, not the API: does a proxy respond in its place, or is the base URL wrong?`,
    );
  });

  it('redacts the key and escapes control characters in the content type', () => {
    const error = errorOf(404, '', { 'content-type': `text/${apiKey}\u0007` });
    expect(error.message).toContain('answered with text/***\\u0007, not');
  });
});

describe('the setting on which a failure depends', () => {
  const sources = { apiKey: 'postgresCompute:apiKey', baseUrl: 'POSTGRES_COMPUTE_BASE_URL' };
  const own = '{"code":"","message":"no"}';
  const failed = (status: number, data: string) => failedBy(responseOf(status, data));
  it.each([
    [401, failed(401, own), '401 Unauthorized: no. Is the key in postgresCompute:apiKey valid?'],
    [403, failed(403, own), '403 Forbidden: no. May the key in postgresCompute:apiKey do this?'],
    [404, failed(404, own), '404 Not Found: no'],
    [
      'ECONNREFUSED',
      new AxiosError('', 'ECONNREFUSED', config),
      'no usable response: connection refused. The base URL is set in POSTGRES_COMPUTE_BASE_URL.',
    ],
    [
      'a page',
      failed(404, '<html>'),
      '404 Not Found: answered with no content type, not the API: does a proxy respond in its place, or is the base URL wrong? The base URL is set in POSTGRES_COMPUTE_BASE_URL.',
    ],
  ])('is named after %s', (_what, error, reason) => {
    const { message } = toControlApiError(error, 'GET', '/projects', { redact, sources });
    expect(message).toBe(`GET /projects: ${reason}`);
  });

  it('is the base URL after a 404 if that lacks the version', () => {
    const context = { redact, sources, lacksVersion: true };
    expect(toControlApiError(failed(404, own), 'GET', '/projects', context).message).toBe(
      'GET /projects: 404 Not Found: no. The base URL is set in POSTGRES_COMPUTE_BASE_URL, and lacks /v2 at its end.',
    );
  });
});

describe('isNotFound', () => {
  const body = JSON.stringify({ code: '', message: 'endpoint not found' });

  it("is true for a 404 with the service's own body", () => {
    expect(isNotFound(errorOf(404, body))).toBe(true);
  });

  it.each([
    ['an HTML page of status 404', errorOf(404, '<html>', { 'content-type': 'text/html' })],
    ["a gateway's 404", errorOf(404, '{"message":"no Route matched"}')],
    ['an empty 404', errorOf(404, '')],
    ['another status of the service', errorOf(410, body)],
    ['a request without a response', toError(new AxiosError('', 'ECONNREFUSED', config))],
    ['another error', new Error('404')],
    ['nothing', undefined],
  ])('is false for %s', (_what, error) => {
    expect(isNotFound(error)).toBe(false);
  });
});

describe('findRefusal', () => {
  const page = failedBy(responseOf(404, '<html>', { 'content-type': 'text/html' }));
  const answered = new ServiceContact();
  answered.noteOwn();
  const refusalOf = (error: AxiosError, contact: ServiceContact) =>
    findRefusal(toControlApiError(error, 'GET', '/projects', { redact, contact }));

  it('finds a page of a proxy only until the service has answered', () => {
    expect(refusalOf(page, new ServiceContact())).toMatchObject({ status: 404 });
    expect(refusalOf(page, answered)).toBeUndefined();
  });

  it('finds a refusal of the service at any time', () => {
    const refused = failedBy(responseOf(403, JSON.stringify({ code: '', message: 'not yours' })));
    expect(refusalOf(refused, answered)).toMatchObject({ status: 403 });
  });
});

describe('the error for a successful response that cannot be read', () => {
  it.each([200, 201, 202])('treats the outcome of a %d that broke off as unknown', (status) => {
    const error = toError(failedBy(responseOf(status, undefined), 'stream has been aborted'));
    expect(error).toMatchObject({
      message: 'GET /projects: no usable response: stream has been aborted',
      code: 'MALFORMED_RESPONSE',
      status,
      meaning: 'unknown',
      isFromService: false,
    });
  });

  it('keeps the request id, redacts the key and escapes control characters', () => {
    const response = responseOf(200, '', { 'x-request-id': 'req-3' });
    const error = toError(failedBy(response, `not JSON: ${apiKey}\u2028`));
    expect(error.message).toBe('GET /projects: no usable response: not JSON: ***  (request id req-3)');
  });
});
