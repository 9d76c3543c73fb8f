import type { SetupStep } from './setup-step.d.mts';

/** Why npm ci must run, or undefined when node_modules holds what package-lock.json says. */
export function whyPackagesAreStale(repository: string): string | undefined;
/** Runs npm ci and records what it was run for. */
export function installPackages(step: SetupStep): Promise<void>;
