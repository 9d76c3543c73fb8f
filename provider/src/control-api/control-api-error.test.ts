import { AxiosError, AxiosHeaders, type AxiosResponse } from 'axios';
import { describe, expect, it } from 'vitest';
import { toControlApiError } from './control-api-error';

const apiKey = 'canary-key';
const config = { headers: new AxiosHeaders({ Authorization: `Bearer ${apiKey}` }) };

const told = (error: unknown) => toControlApiError(error, 'GET', '/projects');

/** What the HTTP client throws for an answer of that status. */
function answered(status: number, data: unknown): AxiosError {
  const response: AxiosResponse = { status, data, statusText: '', headers: {}, config };
  return new AxiosError('Request failed', 'ERR_BAD_RESPONSE', config, undefined, response);
}

describe('a request without an answer says what to look at', () => {
  it.each([
    ['ECONNREFUSED', '', 'connection refused'],
    ['ECONNRESET', '', 'the connection was closed before an answer came'],
    ['ETIMEDOUT', '', 'no answer within the time-out'],
    ['ENOTFOUND', '', 'the host name of the base URL is unknown'],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'self-signed certificate',
      'the certificate of the base URL is not trusted (self-signed certificate); NODE_EXTRA_CA_CERTS names a file of further authorities',
    ],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:443', 'connect EHOSTUNREACH 10.0.0.1:443'],
    [undefined, 'socket hang up', 'socket hang up'],
  ])('%s', (code, message, reason) => {
    const error = told(new AxiosError(message, code, config));
    expect(error).toMatchObject({
      message: `GET /projects: no usable answer: ${reason}`,
      code,
      status: undefined,
    });
  });

  it('and never the key, whatever wrote it there', () => {
    const error = told(new AxiosError(`bad header Bearer ${apiKey}`, 'ERR_OTHER', config));
    expect(error.message).toBe('GET /projects: no usable answer: bad header Bearer ***');
    expect(String(error.cause)).not.toContain(apiKey);
  });

  it('also when the request was not made yet', () => {
    expect(told(new AxiosError('no adapter')).message).toBe('GET /projects: no usable answer: no adapter');
  });
});

describe('an answer that is an error', () => {
  it('has the words of the service', () => {
    const body = { code: 'LIMIT', message: 'too many', request_id: 'req-1' };
    expect(told(answered(422, JSON.stringify(body))).message).toBe(
      'GET /projects: 422 Unprocessable Entity [LIMIT]: too many (request id req-1)',
    );
  });

  it.each([
    ['no JSON', '<html>'],
    ['empty', ''],
    ['no text', undefined],
  ])('says that there is no reason when it is %s', (_what, data) => {
    expect(told(answered(404, data)).message).toBe(
      'GET /projects: 404 Not Found: the service gave no reason',
    );
  });

  it('is told also when its status has no name', () => {
    expect(told(answered(599, '{"message":"worn out"}')).message).toBe('GET /projects: 599: worn out');
  });
});

describe('what is no failure of a request', () => {
  it('stays the error that it is', () => {
    const error = new RangeError('not of the HTTP client');
    expect(told(error)).toBe(error);
  });

  it('becomes an error when it is none', () => {
    expect(told('stopped')).toEqual(new Error('stopped'));
  });
});
