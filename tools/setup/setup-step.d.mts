/** What each step of the set-up is given. */
export interface SetupStep {
  repository: string;
  log: (message: string) => void;
  /** Aborting it ends the step and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}
