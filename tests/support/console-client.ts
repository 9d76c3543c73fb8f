import type { Emulator, EmulatorOptions } from 'postgres-control-emulator';
import { startService } from './service-client';

/** What the tests read of an answer of GET /console/events; console-view.ts has the whole shape. */
export interface View {
  readonly version: string;
  readonly projects: { id: string; name: string; unfinishedCount: number }[];
  readonly projectCount: number;
  readonly project: {
    readonly id: string;
    readonly name: string;
    readonly endpoints: { id: string; state: string; nextState: string | null }[];
    readonly operations: { action: string; branch: string; status: string; durationMs: number | null }[];
    readonly operationCount: number;
  } | null;
}

/** An emulator with a project, and what its console gets to see. */
export async function startConsole(options: EmulatorOptions = {}) {
  const service = await startService(options);
  return { ...service, look: (query?: Record<string, string>) => look(service.emulator, query) };
}

/** Without `after` it answers at once, with it after the next change. */
export async function look(emulator: Emulator, query: Record<string, string> = {}): Promise<View> {
  const url = new URL(`/console/events?${new URLSearchParams(query)}`, emulator.consoleUrl);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${emulator.apiKey}` } });
  return answer.json() as Promise<View>;
}
