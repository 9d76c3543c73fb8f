import type { Emulator, EmulatorOptions } from 'postgres-control-emulator';
import { startService } from './service-client';

/** The parts of a response of GET /console/events that tests read; console-view.ts has the whole type. */
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

/** Starts an emulator with a project. `look` reads what the console page shows. */
export async function startConsole(options: EmulatorOptions = {}) {
  const service = await startService(options);
  return { ...service, look: (query?: Record<string, string>) => look(service.emulator, query) };
}

/** Responds immediately, or with `after` in the query, after the next change. */
export async function look(emulator: Emulator, query: Record<string, string> = {}): Promise<View> {
  const url = new URL(`/console/events?${new URLSearchParams(query)}`, emulator.consoleUrl);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${emulator.apiKey}` } });
  return answer.json() as Promise<View>;
}
