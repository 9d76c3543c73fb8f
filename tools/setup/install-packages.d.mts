import type { SetupStep } from './setup-step.d.mts';

/** Why npm ci must run, or undefined when node_modules holds what package-lock.json says. */
export function whyPackagesAreStale(repository: string): string | undefined;
/**
 * Runs npm ci, without the packages' install scripts, and records what it was run for. Rejects a lock with an entry that
 * npm could not verify.
 */
export function installPackages(step: SetupStep): Promise<void>;
/** The entries of a package-lock.json without a SHA-512 hash; links to workspaces need none. */
export function listUnverified(lock: Record<string, unknown>): string[];
