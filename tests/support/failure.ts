import { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';

/** An error of a provider's call. With an id and properties, the engine keeps the endpoint in state. */
export type Failure = Error & { id?: string; properties?: StoredOutputs };

/** The result of work that may fail, or its error. */
export const outcomeOf = <T>(work: Promise<T>): Promise<T | Failure> => work.catch((error: Failure) => error);

/** The error of work that must fail. */
export async function errorOf(work: Promise<unknown>): Promise<Failure> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome;
  throw new Error('The work was expected to fail.');
}

/** The error of work that must fail and leave an endpoint in state. */
export async function failureOf(work: Promise<unknown>): Promise<DynamicPartialStateError> {
  const failure = await errorOf(work);
  if (failure instanceof DynamicPartialStateError) return failure;
  throw new Error('The work was expected to leave an endpoint.', { cause: failure });
}
