import type { EngineClient } from './engine-client';
import { Progress } from './progress';

/** Shows lines in the row of a resource, through the log channel of the Pulumi engine. */
export class EngineDisplay {
  readonly #client: EngineClient | undefined;

  constructor(client: EngineClient | undefined) {
    this.#client = client;
  }

  /**
   * The live progress of a resource. Shows nothing without a URN.
   * @param present redacts and escapes a line, which may quote the service
   */
  forResource(urn: string | undefined, present: (line: string) => string): Progress {
    return new Progress((line) => {
      if (urn !== undefined) void this.#client?.log('progress', urn, present(line)).catch(() => undefined);
    });
  }

  /** Shows what all resources wait for, in the row of the stack, live only. */
  showWait(line: string): void {
    void this.#client?.log('progress', '', line).catch(() => undefined);
  }

  /** Shows a warning on the resource; on stderr if there is no engine. */
  async warn(urn: string, message: string): Promise<void> {
    const reported = this.#client?.log('warning', urn, message) ?? Promise.reject(new Error('no engine'));
    await reported.catch(() => process.stderr.write(`warning: ${message}\n`));
  }
}
