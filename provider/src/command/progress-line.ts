import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import { describeProgress } from '../engine/progress';

/** A terminal, a file or a pipe. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Moves to the start of the line and erases it. */
const clearLine = '\r\u001b[2K';
const usualColumns = 80;
const tickMs = 1_000;

/**
 * Shows the progress of operations. A terminal shows one line that is rewritten each second and erased at the end. Any
 * other stream gets a line for each change of a status.
 */
export class ProgressLine {
  readonly #stream: OutputStream;
  readonly #redact: Redact;
  #lines: readonly string[] = [];
  #text = '';
  #isUnderWay = false;
  #startedAt = 0;
  #ticking: NodeJS.Timeout | undefined;

  constructor(stream: OutputStream, redact: Redact = (text) => text) {
    this.#stream = stream;
    this.#redact = redact;
  }

  showOperations(operations: readonly Operation[]): void {
    const lines = operations.map((operation) => `${operation.id} ${describeProgress([operation])}`);
    this.#isUnderWay = true;
    this.#show(describeProgress(operations), lines);
  }

  /** Shows what the command waits for before it can send anything. */
  showWait(text: string): void {
    this.#show(text, [text]);
  }

  /** Erases the line. Returns whether it has shown operations of an accepted request, rather than foreign ones. */
  end(): boolean {
    const wasShown = this.#text !== '';
    const wasUnderWay = this.#isUnderWay;
    this.#isUnderWay = false;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#text = '';
    if (wasShown && this.#stream.isTTY) this.#stream.write(clearLine);
    return wasUnderWay;
  }

  #show(text: string, lines: readonly string[]): void {
    this.#text = toPrintable(this.#redact(text));
    if (this.#stream.isTTY) {
      this.#startTicking();
      this.#draw();
      return;
    }
    for (const line of lines)
      if (!this.#lines.includes(line)) this.#stream.write(`${toPrintable(this.#redact(line))}\n`);
    this.#lines = lines;
  }

  #startTicking(): void {
    if (this.#ticking) return;
    this.#startedAt = performance.now();
    this.#ticking = setInterval(() => this.#draw(), tickMs).unref();
  }

  #draw(): void {
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000);
    // Some terminals report a width of 0.
    const room = (this.#stream.columns || usualColumns) - 1;
    this.#stream.write(`${clearLine}${`${seconds} s  ${this.#text}`.slice(0, room)}`);
  }
}
