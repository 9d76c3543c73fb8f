import { once } from 'node:events';
import { createColors } from 'picocolors';
import { toPrintable, toPrintableJson } from '../control-api/printable';
import { makeRedactor, type Redact } from '../control-api/redaction';
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
  /** Takes the key out of everything that is written: a service may repeat what it was sent. */
  readonly redact: Redact;

  constructor(stdout: OutputStream, stderr: OutputStream, environment: NodeJS.ProcessEnv) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = createColors(isColorful(stdout, environment));
    this.#stderrColors = createColors(isColorful(stderr, environment));
    this.redact = makeRedactor([environment.POSTGRES_COMPUTE_API_KEY?.trim() ?? '']);
    this.progress = new ProgressLine(stderr, this.redact);
  }

  /** Writes a result, and waits until the reader has room for more. */
  async print(text: string): Promise<void> {
    this.progress.end();
    if (!this.#stdout.write(`${this.redact(text)}\n`)) await once(this.#stdout, 'drain');
  }

  async printJson(value: unknown): Promise<void> {
    await this.print(toPrintableJson(value));
  }

  /** Says something that is no result. */
  say(sentence: string): void {
    this.progress.end();
    this.#stderr.write(`${toPrintable(this.redact(sentence))}\n`);
  }

  sayError(sentence: string): void {
    this.progress.end();
    this.#stderr.write(`${this.#stderrColors.red('error:')} ${toPrintable(this.redact(sentence))}\n`);
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
