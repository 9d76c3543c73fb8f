import { readFile } from 'node:fs/promises';
import type { EngineResult } from '../simulation/engine/engine-failures';

/** As much of an event of the engine as chaos uses. `--event-log` writes one a line. */
interface EngineEvent {
  readonly diagnosticEvent?: { readonly urn?: string; readonly message: string; readonly severity: string };
  readonly resourcePreEvent?: { readonly metadata: { readonly op: string; readonly urn: string } };
}

/** The engine's words for the steps that the simulation counts. */
const steps: Readonly<Record<string, string>> = {
  create: 'create',
  'create-replacement': 'create',
  update: 'update',
  delete: 'delete',
  'delete-replaced': 'delete',
  import: 'import',
  'import-replacement': 'import',
};

const isOurs = (urn: string) => /:(ComputeEndpoint|Branch)::/.test(urn);

/** What a run has shown and done. A killed CLI may leave the last line unfinished. */
export async function readEvents(
  file: string,
): Promise<Omit<EngineResult, 'isSuccess'> & { readonly shown: readonly string[] }> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const events = lines.filter((line) => line.endsWith('}')).map((line): EngineEvent => JSON.parse(line));
  // The SDK's own messages, which only a user of --debug sees.
  const messages = events.flatMap(({ diagnosticEvent: event }) =>
    event && event.severity !== 'debug'
      ? [{ ...event, urn: event.urn ?? '', message: plain(event.message) }]
      : [],
  );
  return {
    shown: messages.map(({ message }) => message),
    failures: messages.filter(({ severity, urn }) => severity === 'error' && isOurs(urn)),
    steps: events.flatMap(({ resourcePreEvent: event }) => {
      const step = event && isOurs(event.metadata.urn) ? steps[event.metadata.op] : undefined;
      return event && step !== undefined ? [`${step} ${event.metadata.urn}`] : [];
    }),
  };
}

/** Without the marks of colours. */
function plain(message: string): string {
  return message.replace(/<\{%[^%]*%\}>/g, '').trim();
}
