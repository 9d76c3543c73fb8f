import { localAddressOf } from '../options/emulator-options';

/** The key is in the fragment, which browsers do not send: neither the server's log nor another page receives it. */
export function consoleUrlOf(host: string, port: number, apiKey: string): string {
  return `http://${localAddressOf(host)}:${port}/#key=${encodeURIComponent(apiKey)}`;
}
