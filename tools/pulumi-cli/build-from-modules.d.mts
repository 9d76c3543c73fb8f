/** The version of the CLI that go.mod pins, for example `3.259.0`. */
export function pinnedVersion(): string;
/** Changes when a pin does. */
export function hashPins(): string;
/**
 * Builds the CLI and the language host, and puts the resource plug-in of the SDK beside them; takes 2 to 6 minutes.
 * Returns the folder of the binaries.
 */
export function buildFromModules(options: {
  repository: string;
  /** A folder to be deleted afterwards. */
  workFolder: string;
  /** Where Go finds its settings; Go gets it without its secrets. */
  environment: NodeJS.ProcessEnv;
  log: (message: string) => void;
  signal?: AbortSignal | undefined;
  sdkInstalled: Promise<void>;
}): Promise<string>;
