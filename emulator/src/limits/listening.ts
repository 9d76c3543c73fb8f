import { hasCode } from '../records/thrown-reason';

/** Connections that may wait to be accepted; the system may allow fewer. Node's default of 511 is too low for 1,000 clients. */
export const BACKLOG = 4096;

/** Explains the error of a server whose port, given by `option`, another program has; returns any other error unchanged. */
export function explainTaken(error: unknown, option: string): unknown {
  if (!hasCode(error, 'EADDRINUSE')) return error;
  const { port, address } = error as { port?: number; address?: string };
  const advice = `stop what listens on it, or let the emulator choose a free one with ${option} 0`;
  return new Error(`port ${port} of ${address} is taken: ${advice}`, { cause: error });
}
