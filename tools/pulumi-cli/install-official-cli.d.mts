/** Returns the folder of the binaries. Rejects with the installer's output when it fails. */
export function installOfficialCli(options: {
  /** A folder to be deleted afterwards; the installer's temporary files go there too. */
  workFolder: string;
  version: string;
  /** The installer gets it without its secrets. */
  environment: NodeJS.ProcessEnv;
  log: (message: string) => void;
  signal?: AbortSignal | undefined;
  sdkInstalled: Promise<void>;
  /** The script to run with Node, given root and version. @default run-installer.mjs */
  installer?: string | undefined;
}): Promise<string>;
