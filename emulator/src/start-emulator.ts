import type { AddressInfo } from 'node:net';
import { consoleUrlOf } from './console/console-url';
import { startAvailabilityChecks } from './control-plane/availability-checks';
import { createControlPlane } from './control-plane/create-control-plane';
import { resumeProjects } from './control-plane/resume-projects';
import { Controls } from './controls/controls';
import { type Data, openData } from './data/open-data';
import { API_PREFIX } from './http/api-path';
import { createServer } from './http/server';
import { BACKLOG } from './http/server-limits';
import type { EmulatorOptions, Settings } from './options/emulator-options';
import { resolveOptions } from './options/resolve-options';
import { RequestLog } from './requests/request-log';

/** A running emulator: where it is, how to get in, and the controls. */
export class Emulator extends Controls {
  /** The base URL of the API, which ends in the version segment. */
  readonly url: string;
  /** The one bearer key that is accepted. */
  readonly apiKey: string;
  readonly port: number;
  /** Where a browser shows what the emulator holds. The key is in its fragment: keep it as secret as the key. */
  readonly consoleUrl: string;
  /**
   * Ends every connection and timer. What it held is gone, unless it has a data file.
   * @throws Error when the rest cannot be written to that file; it has ended all the same
   */
  readonly stop: () => Promise<void>;

  constructor(
    controls: ConstructorParameters<typeof Controls>,
    running: Pick<Emulator, 'url' | 'apiKey' | 'port' | 'consoleUrl' | 'stop'>,
  ) {
    super(...controls);
    this.url = running.url;
    this.apiKey = running.apiKey;
    this.port = running.port;
    this.consoleUrl = running.consoleUrl;
    this.stop = running.stop;
  }
}

/**
 * Starts an emulator on a free port of this machine.
 * @throws RangeError when an option makes no sense; Error when the port is taken, or the data file cannot be used
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = resolveOptions(options);
  if (settings.data === undefined) return serve(settings);
  const data = await openData(settings.data, { requested: options.apiKey, fresh: settings.apiKey });
  return serve({ ...settings, apiKey: data.apiKey }, data);
}

async function serve(settings: Settings, data?: Data): Promise<Emulator> {
  const plane = createControlPlane(settings, data?.journal);
  const log = new RequestLog();
  const stopped = new AbortController();
  const controls = new Controls(plane, log);
  const app = createServer({ plane, controls, log, stopped: stopped.signal, journal: data?.journal });
  resumeProjects(plane, data?.projects ?? []);
  const stopChecks = startAvailabilityChecks(plane);
  const end = async (): Promise<void> => {
    stopChecks();
    stopped.abort();
    plane.autosuspend.stop();
    plane.runner.stop();
    await app.close();
    data?.journal.close();
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
    throw error;
  }
  // The address of a server that listens on a port is never a path or null.
  const { port } = app.server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return new Emulator([plane, log], {
    url: `http://${host}:${port}${API_PREFIX}`,
    apiKey: settings.apiKey,
    port,
    consoleUrl: consoleUrlOf(settings.host, port, settings.apiKey),
    stop,
  });
}
