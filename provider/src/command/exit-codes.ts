import { CommanderError } from 'commander';
import { ControlApiError } from '../control-api/control-api-error';
import { OperationWaitError } from '../operations/operation-wait-error';
import { LockedError } from '../operations/project-lock';

/** What the command tells the shell. */
export const exitCodes = {
  done: 0,
  operationFailed: 1,
  usedWrongly: 2,
  timedOut: 3,
  refused: 4,
  unexpected: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The codes in words, for the help. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done; every operation that was waited for has succeeded'],
  [exitCodes.operationFailed, 'an operation failed'],
  [exitCodes.usedWrongly, 'wrong use: an option, an argument, or a setting that is missing'],
  [exitCodes.timedOut, 'operations were unfinished when the time was up'],
  [exitCodes.refused, 'the service refused, does not know it, or could not be reached'],
  [exitCodes.unexpected, 'anything else, such as a file that can not be written'],
  [exitCodes.interrupted, 'interrupted (Ctrl-C); operations go on'],
];

/** A failure with an exit code of its own. The message is one sentence. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usedWrongly, message);
}

/** The exit code for whatever ended the command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usedWrongly;
  if (error instanceof OperationWaitError)
    return error.outcome === 'failed' ? exitCodes.operationFailed : exitCodes.timedOut;
  if (error instanceof LockedError) return exitCodes.timedOut;
  if (error instanceof ControlApiError) return exitCodes.refused;
  return exitCodes.unexpected;
}
