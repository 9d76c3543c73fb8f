import type { SetupStep } from './setup-step.d.mts';

/** Why tsc --build must run, or undefined when every dist is what the present sources build. */
export function whyBuildIsStale(repository: string): string | undefined;
/** Runs tsc --build and records, per package, from which sources. */
export function buildPackages(step: SetupStep): Promise<void>;
