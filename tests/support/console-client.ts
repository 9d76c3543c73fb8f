import type { Emulator, EmulatorOptions } from 'postgres-control-emulator';
import { startService } from './service-client';

/** The part of a GET /console/events response that the tests read; view-console.ts has the complete type. */
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

/** An emulator with a project, and a client of its console. */
export async function startConsole(options: EmulatorOptions = {}) {
  const service = await startService(options);
  return { ...service, readView: (query?: Record<string, string>) => readView(service.emulator, query) };
}

/** Without `after`, the response is immediate; with it, the response comes after the next change. */
export async function readView(emulator: Emulator, query: Record<string, string> = {}): Promise<View> {
  const url = new URL(`/console/events?${new URLSearchParams(query)}`, emulator.consoleUrl);
  const response = await fetch(url, { headers: { authorization: `Bearer ${emulator.apiKey}` } });
  return response.json() as Promise<View>;
}
