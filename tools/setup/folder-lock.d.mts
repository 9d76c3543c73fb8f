/**
 * Runs `work` while holding the lock `folder`; waits, with a message, while another process holds it, and takes
 * over from one that died. Rejects when `signal` is aborted during the wait.
 */
export function withFolderLock<T>(
  folder: string,
  options: { log: (message: string) => void; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T>;
