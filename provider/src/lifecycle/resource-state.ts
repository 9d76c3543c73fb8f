import type { Declared } from './resource-identity';

/** The version of the shape of the outputs, so that a later release can read what this one wrote. */
export const schemaVersion = 1;

/**
 * An operation of this resource that has not succeeded, kept in state until it has. If the suspension of a restart failed, its start
 * is kept too, even if it succeeded: nothing was restarted.
 */
export interface UnsettledOperation {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** Such as `start_compute`. */
  readonly action: string;
  /** As the service reported it when the last `pulumi up` ended, such as `running` or `failed`. */
  readonly status: string;
}

export function isSuspension({ action }: Pick<UnsettledOperation, 'action'>): boolean {
  return action === 'suspend_compute';
}

/** The outputs that exist only while something is unfinished or failed. */
export type Unsettled = {
  readonly unsettledOperations?: readonly UnsettledOperation[];
  /** The arguments whose change the next update sends again: it was not applied, or the run failed before it had read it back. */
  readonly __unapplied?: readonly string[];
};

export const unsettledOutputs = ['unsettledOperations', '__unapplied'] as const;

/** A resource in state: the arguments that the program gave, and the outputs. */
export interface Prior<Inputs, Outputs> extends Declared<Inputs> {
  /** Where a refresh has found drift, the values that it found. */
  readonly inputs: Inputs;
  readonly outputs: Outputs;
}

/** Whether an earlier run has left something for the next one to resume. */
export function isUnsettled(outputs: Unsettled): boolean {
  return unsettledOutputs.some((name) => outputs[name] !== undefined);
}

/** Absent, not undefined, where there are none: the engine refuses undefined values. */
export function toUnsettled<Name extends string>(
  unsettled: readonly UnsettledOperation[],
  unapplied: readonly Name[] = [],
) {
  return {
    ...(unsettled.length > 0 && {
      unsettledOperations: unsettled.map(({ id, action, status }) => ({ id, action, status })),
    }),
    ...(unapplied.length > 0 && { __unapplied: unapplied }),
  };
}

/** The names of all outputs of a type of resource. */
export function toOutputNames(argumentNames: readonly string[], further: readonly string[]): Set<string> {
  return new Set([...argumentNames, ...further, ...unsettledOutputs, '__schemaVersion']);
}
