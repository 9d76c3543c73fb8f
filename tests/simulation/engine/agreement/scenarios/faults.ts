import type { Fault } from 'postgres-control-emulator';

/** An operation of this action fails. */
export const fails = (action: string): Fault => ({ match: { action }, effect: { kind: 'operation-fails' } });

/** The same, of an endpoint in the second project. */
export const failsElsewhere = (action: string): Fault => ({
  match: { action, projectId: 'second project' },
  effect: { kind: 'operation-fails' },
});

/** An operation of this action runs until the command has ended. */
export const hangs = (action: string): Fault => ({ match: { action }, effect: { kind: 'operation-hangs' } });

/** The service refuses every request of this method. */
export const refuses = (method: string): Fault => ({
  match: { method },
  times: 'always',
  effect: { kind: 'status', status: 403 },
});

/** The response to the next request of this method is lost. */
export const losesResponse = (method: string): Fault => ({
  match: { method },
  effect: { kind: 'lost-after-work' },
});
