import type { Declared } from './resource-identity';

/** The version of the shape of the outputs, so that a later release can read what this one wrote. */
export const schemaVersion = 2;

/** An operation of this resource that has not succeeded, kept in state until it has, or until a later one has done its work. */
export interface UnsettledOperation {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** Such as `start_compute`. */
  readonly action: string;
  /** As the service reported it when the last `pulumi up` ended, such as `running` or `failed`. */
  readonly status: string;
}

/** The outputs that hold pending changes (lifecycle/stored-ledger.ts). */
export type Unsettled = {
  readonly unsettledOperations?: readonly UnsettledOperation[];
  readonly __ledger?: {
    readonly due?: readonly string[] | undefined;
    readonly owed?: readonly string[] | undefined;
    readonly since?: string | undefined;
    readonly past?: string | undefined;
  };
  /** Version 1 of the state had this in place of `__ledger`. */
  readonly __unapplied?: readonly string[];
};

export const unsettledOutputs = ['unsettledOperations', '__ledger', '__unapplied'] as const;

/** A resource in state: the arguments that the program gave, and the outputs. @internal */
export interface Prior<Inputs, Outputs> extends Declared<Inputs> {
  /** Where a refresh has found drift, the values that it found. */
  readonly inputs: Inputs;
  readonly outputs: Outputs;
}

/** Whether these outputs are from the state. What is only imported or looked up has none yet. */
export function isInState(outputs: object): boolean {
  return '__schemaVersion' in outputs;
}

/** Whether there is a pending change for the next run to resume. */
export function isUnsettled({ unsettledOperations, __ledger, __unapplied }: Unsettled): boolean {
  const { due, owed, past } = __ledger ?? {};
  return [unsettledOperations, due, owed, past, __unapplied].some((each) => each !== undefined);
}

/** The names of all outputs of a type of resource. */
export function toOutputNames(argumentNames: readonly string[], further: readonly string[]): Set<string> {
  return new Set([...argumentNames, ...further, ...unsettledOutputs, '__schemaVersion']);
}
