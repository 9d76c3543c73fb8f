import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Fleet } from './fleet-config';

/** What the rollout has done to one stack. */
export interface StackResult {
  /** `held`: computes would restart outside the window. None of them was changed. */
  readonly outcome: 'pending' | 'running' | 'finished' | 'failed' | 'held';
  /** From the start of the preview to the end of the update. */
  readonly seconds?: number | undefined;
  /** The number of computes that the change restarts, by its preview. */
  readonly restarts?: number | undefined;
  readonly error?: string | undefined;
}

/** What the file holds: the results are in the order of the waves. */
export interface Report {
  readonly target: Fleet['target'];
  readonly stacks: readonly ({ readonly stack: string } & StackResult)[];
}

const savedReport = z.object({
  target: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  stacks: z.array(
    z.object({
      stack: z.string(),
      outcome: z.enum(['pending', 'running', 'finished', 'failed', 'held']),
      seconds: z.number().optional(),
      restarts: z.number().optional(),
      error: z.string().optional(),
    }),
  ),
});

/** The results so far, in a file: it is the report, and a later run resumes from it. */
export class RolloutReport {
  readonly #file: string;
  readonly #target: Fleet['target'];
  readonly #results: Map<string, StackResult>;
  readonly #nameWidth: number;

  /** Reads the file, and keeps the stacks that finished with the same target. @throws Error if the file is damaged */
  constructor(file: string, { waves, target }: Fleet) {
    const earlier = existsSync(file) ? readReport(file) : undefined;
    const known = isDeepStrictEqual(earlier?.target, target) ? (earlier?.stacks ?? []) : [];
    const finished = new Map(
      known.flatMap(({ stack, ...result }) => (result.outcome === 'finished' ? [[stack, result]] : [])),
    );
    this.#file = file;
    this.#target = target;
    this.#results = new Map(
      waves.flat().map((stack) => [stack, finished.get(stack) ?? { outcome: 'pending' }]),
    );
    this.#nameWidth = Math.max(...waves.flat().map(({ length }) => length), 'stack'.length);
  }

  /** The stacks with that outcome, in the order of the waves. */
  stacksWith(outcome: StackResult['outcome']): string[] {
    return [...this.#results].flatMap(([stack, result]) => (result.outcome === outcome ? [stack] : []));
  }

  /** Records a result. It replaces the file as a whole, so that a kill leaves the old one or the new one. */
  record(stack: string, result: StackResult): void {
    this.#results.set(stack, result);
    const stacks = [...this.#results].map(([name, each]) => ({ stack: name, ...each }));
    const contents: Report = { target: this.#target, stacks };
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(contents, undefined, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** One line of the table; without a stack, its head. */
  row(stack?: string): string {
    if (stack === undefined) return this.#align('stack', 'outcome', 'seconds', 'restarts');
    const { outcome = '', seconds, restarts } = this.#results.get(stack) ?? {};
    return this.#align(stack, outcome, seconds?.toFixed(1) ?? '', String(restarts ?? ''));
  }

  /** The table, and the errors. */
  toString(): string {
    const rows = [...this.#results.keys()].map((stack) => this.row(stack));
    const errors = [...this.#results].flatMap(([stack, { error }]) =>
      error ? [`\n${stack}: ${error}`] : [],
    );
    return [this.row(), ...rows, ...errors].join('\n');
  }

  #align(stack: string, outcome: string, seconds: string, restarts: string): string {
    const name = stack.padEnd(this.#nameWidth);
    return `${name}  ${outcome.padEnd('finished'.length)}  ${seconds.padStart(7)}  ${restarts.padStart(8)}`;
  }
}

function readReport(file: string): Report {
  try {
    return savedReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(
      `${file} is damaged. Without it, every stack is previewed again, and those that have the target are not changed: to continue, delete it.`,
      { cause },
    );
  }
}
