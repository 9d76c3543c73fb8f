import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { ResourceProviderService } from '@pulumi/pulumi/proto/provider_grpc_pb';
import { endWithEngine } from '../engine/end-with-engine';
import { connectEngine } from '../engine/engine-client';
import { EngineDisplay } from '../engine/engine-display';
import { ProviderService } from './provider-service';

/** The most that one message may hold: what the engine itself allows. Bytes. */
const mostBytes = 400 * 1024 * 1024;

/**
 * Serves the provider to the one engine that starts this process, until that ends. The engine reads the port from the
 * first line of the output.
 * @param folder holds schema.json
 */
export function servePlugin(folder: string): void {
  const service = new ProviderService(readFileSync(join(folder, 'schema.json'), 'utf8'), {
    display: new EngineDisplay(connectEngine(process.argv, () => grpc)),
  });
  endWithEngine();
  endOnSignal(service);
  // Channelz, a protocol to inspect servers, would record every call.
  const server = new grpc.Server({ 'grpc.max_receive_message_length': mostBytes, 'grpc.enable_channelz': 0 });
  server.addService(ResourceProviderService, service.implementation);
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
  });
}

/** Ctrl-C may signal this process as well as the CLI. Calls in progress must still return, so that the engine records them. */
function endOnSignal(service: ProviderService): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (service.isIdle) process.exit(0);
      service.cancel();
    });
}
