import { Readable } from 'node:stream';

export interface ServerRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Called when the route's work is due, which it does at once. */
  readonly onWork?: <Result>(work: () => Result) => Result;
}

/** What arrives at the client: a whole response, one that breaks off after the headers, or nothing. */
export type Served =
  | {
      readonly kind: 'whole' | 'cut off';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: string;
    }
  | { readonly kind: 'lost' };

/** As much of a Fastify request as the emulator uses. */
export interface ServedRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  body: unknown;
  readonly raw: { readonly socket: { readonly destroyed: boolean; destroy(): unknown } };
  readonly routeOptions: { readonly config: object };
}

/** As much of a Fastify reply as the emulator uses. */
export class InProcessReply {
  statusCode = 200;
  isSent = false;
  isHijacked = false;
  #payload: unknown;
  readonly #headers: Record<string, string> = {};

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  removeHeader(name: string): this {
    delete this.#headers[name.toLowerCase()];
    return this;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  send(payload?: unknown): this {
    this.isSent = true;
    this.#payload = payload;
    return this;
  }

  hijack(): void {
    this.isHijacked = true;
  }

  /** The payload as Fastify passes it to the hooks. */
  get serialized(): unknown {
    const payload = this.#payload;
    if (payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)) return payload;
    this.#headers['content-type'] ??= 'application/json; charset=utf-8';
    return JSON.stringify(payload);
  }

  toServed(payload: unknown): Served {
    // A stream that breaks off, or a gzip stream that does: the client sees the same, headers and an error.
    const isCutOff = payload instanceof Readable || this.#headers['content-encoding'] !== undefined;
    const body = isCutOff ? '' : String(payload ?? '');
    return { kind: isCutOff ? 'cut off' : 'whole', status: this.statusCode, headers: this.#headers, body };
  }
}
