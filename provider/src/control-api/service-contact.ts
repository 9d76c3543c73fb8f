import type { AxiosResponse } from 'axios';
import * as z from 'zod';
import { elsewhereCode, malformedResponseCode, meaningOfFailure } from './failure-meaning';

/** Before the first response of the service itself, this many pages of something else end all calls of the process. */
const finalPages = 4;

/** The error body of the service (official API description, GeneralError). */
const errorBody = z.looseObject({
  request_id: z.string().optional(),
  code: z.string(),
  message: z.string(),
});

interface OwnResponse {
  /** The parsed body. A 204 has none. */
  readonly data?: unknown;
  /** Of a failure. */
  readonly error?: z.output<typeof errorBody>;
}

/**
 * Parses what may be the service's own response: JSON, and for a failure its error body. Undefined for any other response, which a
 * proxy sent, or a server at a wrong base URL.
 */
export function readOwnResponse({ status, data: text }: AxiosResponse): OwnResponse | undefined {
  if (status === 204) return {};
  const data = parseJson(text);
  if (status < 300) return data === undefined ? undefined : { data };
  const error = errorBody.safeParse(data).data;
  return error && { data, error };
}

export function hasJson({ headers }: AxiosResponse): boolean {
  return String(headers['content-type']).startsWith('application/json');
}

/** Describes a response that is not the service's own. */
export function describeForeign(response: AxiosResponse): string {
  const contentType: unknown = response.headers['content-type'];
  const kind = typeof contentType === 'string' ? contentType.replace(/;.*/, '') : 'no content type';
  const what = hasJson(response) ? 'other JSON' : kind;
  return `answered with ${what}, not the API: does a proxy respond in its place, or is the base URL wrong?`;
}

/** The escape of a surrogate. JSON may hold one alone, which is not valid text: the engine would refuse the whole state. */
const surrogate = /\\ud[89a-f]/i;

/** Parses JSON text, with U+FFFD for each lone surrogate; undefined for any other text. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text, surrogate.test(text) ? (_name, value) => toWellFormed(value) : undefined);
  } catch {
    return undefined;
  }
}

function toWellFormed(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}

/** Whether the service itself has answered this process, and why its latest request failed. */
export class ServiceContact {
  /** Why the latest request failed, even if it is sent again; undefined after a response of the service. */
  latestFault: (Error & { readonly reason: string }) | undefined;
  #pagesLeft = finalPages;

  /** The service has answered: from now on, a proxy's page is a lost response. */
  noteOwn(): void {
    this.#pagesLeft = Number.POSITIVE_INFINITY;
    this.latestFault = undefined;
  }

  /** Describes a complete response without the documented shape. Before the service has answered, something else may have sent it. */
  describeOtherShape(response: AxiosResponse, problem: string): { code: string; message: string } {
    const message = `the response does not have the documented shape: ${problem}`;
    if (this.hasAnswered) return { code: malformedResponseCode, message };
    return { code: elsewhereCode, message: `${message}; ${describeForeign(response)}` };
  }

  notePage(): void {
    this.#pagesLeft -= 1;
  }

  /**
   * What a failure means. A proxy's page counts by its status until the service has answered once, and from then on as a lost response.
   * A proxy's 503 is always a lost response: only the service's own proves that the request did nothing.
   */
  meaningOf(status: number | undefined, code: string | undefined, isFromService = false) {
    const isPage = status !== undefined && !isFromService;
    return isPage && (this.hasAnswered || status === 503) ? 'unknown' : meaningOfFailure(status, code);
  }

  get hasAnswered(): boolean {
    return this.#pagesLeft === Number.POSITIVE_INFINITY;
  }

  /** Whether only something else has answered so far. */
  get isElsewhere(): boolean {
    return this.#pagesLeft <= 0;
  }
}
