import type { AddressInfo } from 'node:net';
import { startAvailabilityChecks } from './availability-checks';
import { consoleUrlOf } from './console/console-url';
import { createControlPlane } from './control-plane';
import { Controls } from './controls';
import { type EmulatorOptions, resolveOptions } from './options';
import { RequestLog } from './request-log';
import { API_PREFIX, createServer } from './server';

/** A running emulator: where it is, how to get in, and the controls. */
export class Emulator extends Controls {
  /** The base URL of the API, which ends in the version segment. */
  readonly url: string;
  /** The one bearer key that is accepted. */
  readonly apiKey: string;
  readonly port: number;
  /** Where a browser shows what the emulator holds. The key is in its fragment: keep it as secret as the key. */
  readonly consoleUrl: string;
  /** Ends every connection and timer; what it held is gone. */
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
 * @throws RangeError when an option makes no sense; Error when the port is taken
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = resolveOptions(options);
  const plane = createControlPlane(settings);
  const log = new RequestLog();
  const stopped = new AbortController();
  const controls = new Controls(plane, log);
  const app = createServer({ plane, controls, log, stopped: stopped.signal });
  await app.listen({ port: settings.port, host: settings.host });
  const stopChecks = startAvailabilityChecks(plane);
  const stop = async (): Promise<void> => {
    stopChecks();
    stopped.abort();
    plane.autosuspend.stop();
    plane.runner.stop();
    await app.close();
  };
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
