import type { Fault } from 'postgres-control-emulator';

/** An operation of this action fails. */
export const fails = (action: string): Fault => ({ match: { action }, effect: { kind: 'operation-fails' } });

/** The same, of an endpoint in the second project. */
export const failsElsewhere = (action: string): Fault => ({
  match: { action, projectId: 'second project' },
  effect: { kind: 'operation-fails' },
});

/** The service refuses every request of this method. */
export const refuses = (method: string): Fault => ({
  match: { method },
  times: 'always',
  effect: { kind: 'status', status: 403 },
});
