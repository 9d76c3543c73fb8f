import type { StoredOutputs } from './stored-properties';

/**
 * An error as the engine shows it, with its resource. For check, diff, read and delete the host also prints
 * `${error}: ${error.stack}` under the stack: there this one only points to it. It has no cause: crash output would print it
 * unredacted.
 */
export class PresentableError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = 'failed, as shown with the resource';
  }

  override toString(): string {
    return 'pulumi-postgres-compute';
  }
}

/** A failure of a resource that exists: the engine stores what it carries, by these names. */
export class DynamicPartialStateError extends PresentableError {
  override readonly name = 'DynamicPartialStateError';
  readonly id: string;
  readonly properties: StoredOutputs;
  readonly reasons: readonly string[];

  constructor(message: string, id: string, properties: StoredOutputs) {
    super(message);
    this.id = id;
    this.properties = properties;
    this.reasons = [message];
  }
}
