import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { startExpiry } from './control-plane/branches';
import { connectionUriForm } from './control-plane/connection-uris';
import { createControlPlane, resumeProjects } from './control-plane/create-control-plane';
import { Controls } from './controls/controls';
import { SavingJournal } from './data/saving-journal';
import { API_PREFIX } from './http/api-path';
import { RequestLog } from './http/log-requests';
import { createServer } from './http/server';
import { BACKLOG, explainTaken } from './limits/listening';
import {
  type EmulatorOptions,
  localAddressOf,
  resolveOptions,
  type Settings,
} from './options/emulator-options';

/** A running emulator: its addresses, its key and its controls. */
export interface Emulator extends Controls {
  /** The base URL of the API, which ends with the version segment. */
  readonly url: string;
  /** The only bearer key that is accepted. */
  readonly apiKey: string;
  readonly port: number;
  /** The URL of the console page. Its fragment contains the key, so keep it as secret as the key. */
  readonly consoleUrl: string;
  /** With the option `postgres`: the port on `host` for clients of every endpoint. */
  readonly postgresPort?: number;
  /** With the option `postgres`: the file of its certificate, in PEM, with which clients can verify it. */
  readonly postgresCertificate?: string;
  /** With the option `postgres`: a connection string for any client, with words in capitals to replace. */
  readonly connectionUriForm?: string;
  /**
   * Closes every connection and stops every timer. The data is lost unless there is a data file.
   * @throws Error when the last changes cannot be written to that file; the emulator has stopped anyway
   */
  stop(): Promise<void>;
}

/**
 * Starts an emulator, by default on a free port of the loopback address.
 * @throws RangeError when an option is invalid; Error when the port is taken or the data file cannot be used
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = resolveOptions(options);
  const { data, postgres } = settings;
  if (data === undefined) return serve(settings);
  if (!postgres && existsSync(`${data}.postgres`))
    throw new Error(`data ${data} needs the option postgres: without it, new branches would stay empty`);
  const journal = new SavingJournal(data, { requested: options.apiKey, fallback: settings.apiKey });
  return serve({ ...settings, apiKey: journal.apiKey }, journal);
}

/** Loaded only here, so that an emulator without the option loads none of that code. */
async function startPostgres(settings: Settings, journal?: SavingJournal) {
  if (settings.postgres === false) return undefined;
  const { startDataPlane } = await import('./data-plane/start-data-plane.js');
  return startDataPlane(settings, journal?.projects ?? [], async () => journal?.saved()).catch((error) => {
    journal?.close();
    throw error;
  });
}

async function serve(settings: Settings, journal?: SavingJournal): Promise<Emulator> {
  const postgres = await startPostgres(settings, journal);
  const plane = createControlPlane(settings, journal, postgres?.dataPlane);
  const log = new RequestLog();
  const stopped = new AbortController();
  const controls = new Controls(plane, log);
  const app = createServer({ plane, controls, log, stopped: stopped.signal, journal });
  resumeProjects(plane, journal?.projects ?? []);
  postgres?.dataPlane.serve(plane);
  const stopExpiry = startExpiry(plane);
  const end = async (): Promise<void> => {
    stopExpiry();
    stopped.abort();
    plane.autosuspend.stop();
    plane.runner.stop();
    await app.close();
    await postgres?.stop();
    journal?.close();
  };
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  try {
    await app.listen({ port: settings.port, host: settings.host, backlog: BACKLOG });
  } catch (error) {
    await stop();
    throw explainTaken(error, '--port');
  }
  // The address of a server that listens on a port is never a string or null.
  const { port } = app.server.address() as AddressInfo;
  const url = `http://${localAddressOf(settings.host)}:${port}`;
  return Object.assign(controls, {
    url: `${url}${API_PREFIX}`,
    apiKey: settings.apiKey,
    port,
    // Browsers do not send the fragment: neither the server's log nor another page receives it.
    consoleUrl: `${url}/#key=${encodeURIComponent(settings.apiKey)}`,
    ...(postgres && {
      postgresPort: postgres.gateway.port,
      postgresCertificate: postgres.gateway.certificateFile,
      connectionUriForm: connectionUriForm(plane),
    }),
    stop,
  });
}
