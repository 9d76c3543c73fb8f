import type { EngineOptions } from './engine-steps';

export interface EngineResult {
  readonly isSuccess: boolean;
  /** The errors under Diagnostics. */
  readonly failures: readonly { readonly urn: string; readonly message: string }[];
  /** What the run did, or would do: `create URN`, `update URN` … */
  readonly steps: readonly string[];
}

/** The errors of a run, and what they stop. */
export class EngineFailures {
  readonly all: { urn: string; message: string }[] = [];
  /** Resources whose step has failed with `--continue-on-error`, and those that were skipped because of them. */
  readonly skipped = new Set<string>();
  /** Whether an error has stopped the run. */
  hasStopped = false;
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Plans something: an error stops the run. */
  async attempt<Result>(urn: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#note(urn, error);
      this.hasStopped = true;
      return undefined;
    }
  }

  /** Takes a step: with `--continue-on-error`, an error stops only what depends on it. */
  async attemptStep(urn: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#note(urn, error);
      if (this.#options.continuesOnError) this.skipped.add(urn);
      else this.hasStopped = true;
    }
  }

  /** What a target needs is no target. A preview goes on, to report all of them. */
  reportOutOfScope(urn: string, message: string): void {
    if (!this.#options.isPreview) throw new Error(message);
    this.#note(urn, new Error(message));
  }

  #note(urn: string, error: unknown): void {
    this.all.push({ urn, message: error instanceof Error ? error.message : String(error) });
  }
}
