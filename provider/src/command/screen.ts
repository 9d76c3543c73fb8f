import { once } from 'node:events';
import { createColors } from 'picocolors';
import { toPrintable } from './printable';
import { type OutputStream, ProgressLine } from './progress-line';

type Colors = ReturnType<typeof createColors>;

/** What the command writes: results to stdout, everything else to stderr. */
export class Screen {
  /** Colours for stdout; they do nothing where it is no terminal. */
  readonly colors: Colors;
  readonly progress: ProgressLine;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #stderrColors: Colors;

  constructor(stdout: OutputStream, stderr: OutputStream, environment: NodeJS.ProcessEnv) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = createColors(isColorful(stdout, environment));
    this.#stderrColors = createColors(isColorful(stderr, environment));
    this.progress = new ProgressLine(stderr);
  }

  /** Writes a result, and waits until the reader has room for more. */
  async print(text: string): Promise<void> {
    this.progress.end();
    if (!this.#stdout.write(`${text}\n`)) await once(this.#stdout, 'drain');
  }

  async printJson(value: unknown): Promise<void> {
    await this.print(JSON.stringify(value, undefined, 2));
  }

  /** Says something that is no result. */
  say(sentence: string): void {
    this.progress.end();
    this.#stderr.write(`${toPrintable(sentence)}\n`);
  }

  sayError(sentence: string): void {
    this.progress.end();
    this.#stderr.write(`${this.#stderrColors.red('error:')} ${toPrintable(sentence)}\n`);
  }

  /** What commander has to say: text with its line ends. */
  writeHelp(text: string, to: 'stdout' | 'stderr'): void {
    (to === 'stdout' ? this.#stdout : this.#stderr).write(text);
  }
}

/** Colours belong on a terminal that shows them, and only when the user wants them (no-color.org). */
function isColorful(stream: OutputStream, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
