import type { StoredOutputs } from './stored-properties';

/**
 * An error as the engine shows it. The host prints `${error}: ${error.stack}` for check, diff, read and delete,
 * so this one's text is its message, once, and no stack. It has no cause: crash output would print it unredacted.
 */
export class PresentableError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
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
