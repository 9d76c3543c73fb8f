/** Returns the folder of the binaries, or undefined, after a line to `log`, when the installer cannot be used. */
export function installOfficialCli(options: {
  /** A folder to be deleted afterwards; the installer's temporary files go there too. */
  workFolder: string;
  version: string;
  log: (message: string) => void;
  signal?: AbortSignal | undefined;
  sdkInstalled: Promise<void>;
  /** How long the download may make no progress. @default 20000 */
  stallMs?: number;
  /** The script to run with Node, given root and version. @default run-installer.mjs */
  installer?: string;
}): Promise<string | undefined>;
