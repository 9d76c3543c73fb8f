/** Why tsc --build must run, or undefined when every dist is what the present sources build. */
export function whyBuildIsStale(repository: string): string | undefined;
/** Runs tsc --build and records, per package, from which sources. */
export function buildPackages(options: {
  repository: string;
  log: (message: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<void>;
