import type { FastifyInstance } from 'fastify';
import { createControlPlane } from '../../emulator/src/control-plane/create-control-plane';
import { addApiRoutes } from '../../emulator/src/http/server';
import { resolveOptions } from '../../emulator/src/options/emulator-options';

/** The methods, in lower case, that the emulator serves on each path of the API. The paths are those of the description. */
export function listServedCalls(): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  const record = (method: string) => (route: string) => {
    const path = route.replace(/:(\w+)/g, '{$1}');
    calls.set(path, [...(calls.get(path) ?? []), method]);
  };
  const methods = ['get', 'post', 'patch', 'delete'];
  const api = Object.fromEntries(methods.map((method) => [method, record(method)]));
  // The routes use nothing else of the server while they are added.
  addApiRoutes(api as unknown as FastifyInstance, createControlPlane(resolveOptions()));
  return calls;
}
