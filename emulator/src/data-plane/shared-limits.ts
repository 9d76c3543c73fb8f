/** Settings of the last server that a standby of its data cannot have lower. */
export interface SharedLimits {
  readonly max_connections: string;
  readonly max_locks_per_transaction: string;
  readonly max_worker_processes: string;
}

/** Postgres's defaults. */
export const DEFAULT_LIMITS: SharedLimits = {
  max_connections: '100',
  max_locks_per_transaction: '64',
  max_worker_processes: '8',
};

/** The limits of an endpoint's server: its `max_connections`, and otherwise those of its settings. */
export function limitsOf(maxConnections: number, settings: Readonly<Record<string, string>>): SharedLimits {
  const names = Object.keys(DEFAULT_LIMITS);
  // Names have no case.
  const all = Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value] as const);
  const given = all.filter(([name]) => names.includes(name));
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given), max_connections: String(maxConnections) };
}

/** Whether a standby with these limits cannot follow a server with the others. */
export function areBelow(limits: SharedLimits, others: SharedLimits): boolean {
  const values = new Map(Object.entries(limits));
  return Object.entries(others).some(([name, value]) => Number(values.get(name)) < Number(value));
}
