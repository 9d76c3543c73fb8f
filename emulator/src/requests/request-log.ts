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
const MAX_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly request: LoggedRequest;
  /** The size of its JSON. */
  bytes: number;
}

/**
 * The authorized requests to the API, oldest first: the latest 10,000, or as many of these as fit into 16 MiB of JSON.
 * Requests to `/admin` are not logged.
 */
export class RequestLog {
  readonly #kept: Kept[] = [];
  #bytes = 0;

  add(request: LoggedRequest): void {
    const bytes = bytesOf(request);
    this.#kept.push({ request, bytes });
    this.#bytes += bytes;
    this.#dropOldest();
  }

  /** Adds the body, which arrives after the request was added. A request may already have been dropped by then. */
  addBody(request: LoggedRequest, body: unknown): void {
    const kept = this.#kept.findLast((candidate) => candidate.request === request);
    if (kept === undefined) return;
    const bytes = bytesOf(body);
    request.body = body;
    kept.bytes += bytes;
    this.#bytes += bytes;
    this.#dropOldest();
  }

  list(): LoggedRequest[] {
    return structuredClone(this.#kept.map(({ request }) => request));
  }

  #dropOldest(): void {
    while (this.#kept.length > MAX_REQUESTS || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
