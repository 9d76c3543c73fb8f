import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type * as Grpc from '@grpc/grpc-js';
import { EngineService } from '@pulumi/pulumi/proto/engine_grpc_pb';
import type { LogRequest } from '@pulumi/pulumi/proto/engine_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { onTestFinished, vi } from 'vitest';

// The SDK's own copy: its stubs accept no other.
const grpc: typeof Grpc = createRequire(require.resolve('@pulumi/pulumi'))('@grpc/grpc-js');

/** Records everything that leaves the provider except its requests, and searches it for a key. */
export class KeyWitness {
  /** The recorded errors, so that a test can check that a call failed. */
  readonly errors: Error[] = [];
  /** The lines of the resources' rows and of Diagnostics. */
  readonly engineLines: string[] = [];
  readonly #texts: string[] = [];

  /** Runs work that may fail, and records its result or its error. */
  async see<Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work();
      this.#texts.push(...textsOf(result));
      return result;
    } catch (error) {
      this.#texts.push(...textsOf(error));
      this.errors.push(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  /** The recorded texts that contain the key: plain, in Base64 or URL-encoded. */
  findings(key: string): string[] {
    const forms = [key, Buffer.from(key).toString('base64'), encodeURIComponent(key)];
    return [...this.#texts, ...this.engineLines].filter((text) => forms.some((form) => text.includes(form)));
  }

  /** Records what this process writes to stdout, stderr and the console, until the test ends. */
  watchProcess(): void {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest: unknown[]) => {
        this.#texts.push(String(chunk));
        return Reflect.apply(write, stream, [chunk, ...rest]);
      });
      onTestFinished(() => spy.mockRestore());
    }
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((...values) => {
        this.#texts.push(inspect(values, { depth: Number.POSITIVE_INFINITY }));
      });
      onTestFinished(() => spy.mockRestore());
    }
  }

  /** Replaces the engine's display for every provider that is created from now on. */
  async watchEngine(): Promise<void> {
    const server = new grpc.Server();
    const log: Grpc.handleUnaryCall<LogRequest, Empty> = (call, callback) => {
      this.engineLines.push(call.request.getMessage());
      callback(null, new Empty());
    };
    server.addService(EngineService, { log });
    const port = await new Promise<number>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const hostArguments = [...process.argv];
    process.argv = [...hostArguments, `127.0.0.1:${port}`];
    onTestFinished(() => {
      process.argv = hostArguments;
      server.forceShutdown();
    });
  }
}

/** The value in every textual form in which a program may print it. */
function textsOf(value: unknown): string[] {
  const options = {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  };
  const texts = [String(value), inspect(value, options), JSON.stringify(value) ?? ''];
  for (let error = value; error instanceof Error; error = error.cause)
    texts.push(error.message, String(error.stack), JSON.stringify(error, Object.getOwnPropertyNames(error)));
  return texts;
}
