import { once } from 'node:events';
import { createColors } from 'picocolors';
import { toPrintable, toPrintableJson } from '../control-api/printable';
import { makeRedactor, type Redact } from '../control-api/redaction';
import { type OutputStream, ProgressLine } from './progress-line';

/** Writes results to stdout and everything else to stderr. */
export class Screen {
  /** Colours for stdout. They have no effect unless it is a terminal. */
  readonly colors: ReturnType<typeof createColors>;
  readonly progress: ProgressLine;
  /** Redacts the key in everything that is written, because the service may repeat it. */
  readonly redact: Redact;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #errorLabel: string;

  constructor(stdout: OutputStream, stderr: OutputStream, environment: NodeJS.ProcessEnv) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = createColors(isColorful(stdout, environment));
    this.#errorLabel = createColors(isColorful(stderr, environment)).red('error:');
    this.redact = makeRedactor([environment.POSTGRES_COMPUTE_API_KEY?.trim() ?? '']);
    this.progress = new ProgressLine(stderr, this.redact);
  }

  /** Writes a result. Resolves when the stream accepts more. */
  async print(text: string): Promise<void> {
    this.progress.end();
    if (!this.#stdout.write(`${this.redact(text)}\n`)) await once(this.#stdout, 'drain');
  }

  async printJson(value: unknown): Promise<void> {
    await this.print(toPrintableJson(value));
  }

  /** Writes a message. */
  say(sentence: string, label = ''): void {
    this.progress.end();
    this.#stderr.write(`${label}${toPrintable(this.redact(sentence))}\n`);
  }

  sayError(sentence: string): void {
    this.say(sentence, `${this.#errorLabel} `);
  }

  /** Writes help or an error of commander, including its line breaks. */
  writeHelp(text: string, to: 'stdout' | 'stderr'): void {
    (to === 'stdout' ? this.#stdout : this.#stderr).write(text);
  }
}

/** Only a terminal that supports colours gets them, and only if the user allows them (no-color.org). */
function isColorful(stream: OutputStream, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
