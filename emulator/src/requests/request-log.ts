/** A request as it arrived, and the status of its response. */
export interface LoggedRequest {
  readonly method: string;
  /** Path after the version segment, without the query, such as `/projects/p/endpoints`. */
  readonly path: string;
  readonly query: string;
  /** When it arrived, ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  /** The body of a write; undefined when there was none. */
  body?: unknown;
  /** HTTP status of the response; null until it is sent, and permanently if it was lost. */
  status: number | null;
}

const MAX_REQUESTS = 10_000;

/** The latest 10,000 authorized requests to the API, oldest first. Requests to `/admin` are not logged. */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
  }

  list(): LoggedRequest[] {
    return structuredClone(this.#requests);
  }
}
