import { createRequire } from 'node:module';
import { EngineService } from '@pulumi/pulumi/proto/engine_grpc_pb';
import { type LogRequest, LogSeverity } from '@pulumi/pulumi/proto/engine_pb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectEngine } from './engine-client';
import { EngineDisplay } from './engine-display';

// The SDK's own copies, because its stubs accept no others.
const requireOfSdk = createRequire(require.resolve('@pulumi/pulumi'));
const grpc = requireOfSdk('@grpc/grpc-js') as typeof import('@grpc/grpc-js');
const { Server, ServerCredentials } = grpc;
const { Empty } = requireOfSdk(
  'google-protobuf/google/protobuf/empty_pb',
) as typeof import('google-protobuf/google/protobuf/empty_pb');

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

const displayOf = (processArguments: string[]) =>
  new EngineDisplay(connectEngine(processArguments, () => grpc));

/** An engine that records what it should show. */
async function startEngine() {
  const shown: LogRequest.AsObject[] = [];
  const server = new Server();
  server.addService(EngineService, {
    log(call: { request: LogRequest }, respond: (error: null, response: InstanceType<typeof Empty>) => void) {
      shown.push(call.request.toObject());
      respond(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { shown, display: displayOf(['--tracing', `127.0.0.1:${port}`]) };
}

describe('EngineDisplay with an engine', () => {
  it('shows progress in the row of the resource, live only', async () => {
    const { shown, display } = await startEngine();
    display.forResource(urn, String).show('start_compute: In progress', 3_000);
    await vi.waitFor(() => expect(shown).toHaveLength(1));
    expect(shown[0]).toMatchObject({
      urn,
      severity: LogSeverity.INFO,
      message: 'start_compute: In progress, 3 s',
      ephemeral: true,
    });
  });

  it('redacts a progress line before it shows it', async () => {
    const { shown, display } = await startEngine();
    display.forResource(urn, (line) => line.replaceAll('canary', '***')).show('canary-key', 0);
    await vi.waitFor(() => expect(shown).toHaveLength(1));
    expect(shown[0]?.message).toBe('***-key');
  });

  it('keeps a warning under the Diagnostics of the resource', async () => {
    const { shown, display } = await startEngine();
    await display.warn(urn, 'endpoint ep-1 was kept');
    expect(shown).toMatchObject([
      { urn, severity: LogSeverity.WARNING, message: 'endpoint ep-1 was kept', ephemeral: false },
    ]);
  });
});

describe('EngineDisplay without an engine', () => {
  it.each([
    ['the engine has exited', ['127.0.0.1:1']],
    ['there is no engine', []],
  ])('writes a warning to stderr when %s', async (_what, hostArguments) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    await displayOf(hostArguments).warn(urn, 'endpoint ep-1 was kept');
    expect(write.mock.calls).toEqual([['warning: endpoint ep-1 was kept\n']]);
  });

  it('drops progress that an engine does not take', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const log = () => Promise.reject(new Error('it has exited'));
    const display = new EngineDisplay({ log });
    display.forResource(urn, String).show('start_compute: In progress', 0);
    display.showWait('waiting for the service');
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('shows no progress without an engine', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    displayOf([]).forResource(urn, String).show('start_compute: In progress', 0);
    expect(write).not.toHaveBeenCalled();
  });
});
