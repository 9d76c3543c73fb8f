import { CommanderError } from 'commander';
import { ControlApiError } from '../control-api/control-api-error';
import { LookupError } from '../lookups/find-by-name';
import { OperationWaitError } from '../lookups/operation-wait-error';
import { LockedError } from '../operations/wait-for-unlock';

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

export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'success, including every operation that the command waited for'],
  [exitCodes.operationFailed, 'an operation failed'],
  [exitCodes.usedWrongly, 'wrong usage: an invalid option or argument, or a missing setting'],
  [exitCodes.timedOut, 'timed out: operations were unfinished, or the project was still locked'],
  [
    exitCodes.refused,
    'the service refused the request, does not have the resource, or was unreachable; or there is nothing to import',
  ],
  [exitCodes.unexpected, "any other error, such as a file that can't be written"],
  [
    exitCodes.interrupted,
    'interrupted (Ctrl-C; 143 after SIGTERM); operations that have started continue at the service',
  ],
];

/** An error with its own exit code. The message is one sentence. */
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

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usedWrongly;
  if (error instanceof OperationWaitError)
    return error.outcome === 'failed' ? exitCodes.operationFailed : exitCodes.timedOut;
  if (error instanceof LockedError) return exitCodes.timedOut;
  if (error instanceof ControlApiError || error instanceof LookupError) return exitCodes.refused;
  return exitCodes.unexpected;
}
