import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type * as Grpc from '@grpc/grpc-js';
import { EngineService } from '@pulumi/pulumi/proto/engine_grpc_pb';
import type { LogRequest } from '@pulumi/pulumi/proto/engine_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { onTestFinished, vi } from 'vitest';

// The one that the SDK itself uses: its stubs take no other.
const grpc: typeof Grpc = createRequire(require.resolve('@pulumi/pulumi'))('@grpc/grpc-js');

/** Sees everything that leaves the provider but its requests, and looks for a key in it. */
export class KeyWitness {
  /** The errors that were seen, so that a test can tell that something did fail. */
  readonly errors: Error[] = [];
  /** What was shown in the rows of the resources and under Diagnostics. */
  readonly engineLines: string[] = [];
  readonly #texts: string[] = [];

  /** Calls what may fail, and sees what comes out either way. */
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

  /** What was seen that holds the key, in any of the forms that a key takes on its way. */
  findings(key: string): string[] {
    const forms = [key, Buffer.from(key).toString('base64'), encodeURIComponent(key)];
    return [...this.#texts, ...this.engineLines].filter((text) => forms.some((form) => text.includes(form)));
  }

  /** Reads along what this process writes to stdout and stderr, until the test ends. */
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

  /** Is the engine of every provider that is made from here on, as far as its display goes. */
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

/** A value as text, in every way in which somebody may print it. */
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
