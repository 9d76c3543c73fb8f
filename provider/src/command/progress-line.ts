import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import { describeProgress } from '../display/progress';
import { describeOperation } from '../operations/operation-outcome';

/** Where text goes: a terminal, a file or a pipe. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Back to the start of the line, and away with what it holds. */
const clearLine = '\r\u001b[2K';
const usualColumns = 80;
const tickMs = 1_000;

/**
 * Shows how operations get on. On a terminal it is one line, which is written again and again and leaves nothing
 * behind; elsewhere, each change of a status is a line.
 */
export class ProgressLine {
  readonly #stream: OutputStream;
  readonly #toShown: (text: string) => string;
  readonly #told = new Map<string, string>();
  #text = '';
  #startedAt = 0;
  #ticking: NodeJS.Timeout | undefined;

  constructor(stream: OutputStream, redact: Redact = (text) => text) {
    this.#stream = stream;
    this.#toShown = (text) => toPrintable(redact(text));
  }

  /** How the operations that are waited for stand. */
  showOperations(operations: readonly Operation[]): void {
    this.#show(
      describeProgress(operations),
      operations.map((operation) => [operation.id, `${operation.id} ${describeProgress([operation])}`]),
    );
  }

  /** What keeps a request from being taken. */
  showBlockers(blocking: readonly Operation[]): void {
    const text = `waiting: the project is locked by ${blocking.map(describeOperation).join(', ')}`;
    this.#show(text, [['lock', text]]);
  }

  /** Takes the line off the terminal. Says whether something was going on. */
  end(): boolean {
    const wasShown = this.#text !== '';
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#text = '';
    if (wasShown && this.#stream.isTTY) this.#stream.write(clearLine);
    return wasShown;
  }

  #show(text: string, lines: readonly (readonly [key: string, line: string])[]): void {
    this.#text = this.#toShown(text);
    if (this.#stream.isTTY) {
      this.#startTicking();
      this.#draw();
      return;
    }
    for (const [key, line] of lines) {
      if (this.#told.get(key) === line) continue;
      this.#told.set(key, line);
      this.#stream.write(`${this.#toShown(line)}\n`);
    }
  }

  #startTicking(): void {
    if (this.#ticking) return;
    this.#startedAt = Date.now();
    this.#ticking = setInterval(() => this.#draw(), tickMs).unref();
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1000);
    // A terminal that does not know its width says 0.
    const room = (this.#stream.columns || usualColumns) - 1;
    this.#stream.write(`${clearLine}${`${seconds} s  ${this.#text}`.slice(0, room)}`);
  }
}
