/** Postgres's defaults of the settings of which a standby cannot have lower ones than the last server of its data. */
export const DEFAULT_LIMITS = {
  max_connections: '100',
  max_locks_per_transaction: '64',
  max_worker_processes: '8',
};
export type SharedLimits = Readonly<typeof DEFAULT_LIMITS>;
