import { createRequire } from 'node:module';
import { Progress } from './progress';

/** `progress` is shown live only. A `note` or a `warning` stays under the Diagnostics of the resource. */
type Severity = 'progress' | 'note' | 'warning';

interface EngineClient {
  log(weight: Severity, urn: string, message: string): Promise<void>;
}

/** Shows lines in the row of a resource, through the log channel of the Pulumi engine. */
export class EngineDisplay {
  readonly #client: EngineClient | undefined;

  constructor(hostArguments: readonly string[]) {
    this.#client = connect(hostArguments);
  }

  /**
   * The live progress of a resource. Shows nothing without a URN.
   * @param present redacts and escapes a line, which may quote the service
   */
  forResource(urn: string | undefined, present: (line: string) => string): Progress {
    return new Progress((line) => {
      if (urn !== undefined) void this.#client?.log('progress', urn, present(line)).catch(() => undefined);
    });
  }

  /** Shows a diagnostic on the resource; on stderr if there is no engine. */
  async report(weight: 'note' | 'warning', urn: string, message: string): Promise<void> {
    const reported = this.#client?.log(weight, urn, message) ?? Promise.reject(new Error('no engine'));
    await reported.catch(() => process.stderr.write(`${weight}: ${message}\n`));
  }
}

function isEngineAddress(argument: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(argument);
}

/** Whether this process hosts providers for a running engine, which passes its address as an argument. */
export function isProviderHost(hostArguments: readonly string[]): boolean {
  return hostArguments.some(isEngineAddress);
}

function connect(hostArguments: readonly string[]): EngineClient | undefined {
  const address = hostArguments.find(isEngineAddress);
  if (!address) return undefined;
  try {
    return createClient(address);
  } catch {
    // If a release of the SDK moves its stubs, progress is not shown, but the provider works.
    return undefined;
  }
}

function createClient(address: string): EngineClient {
  // Loaded only here, because only the host of a running engine needs them.
  const { EngineClient: Client } =
    require('@pulumi/pulumi/proto/engine_grpc_pb') as typeof import('@pulumi/pulumi/proto/engine_grpc_pb');
  const proto = require('@pulumi/pulumi/proto/engine_pb') as typeof import('@pulumi/pulumi/proto/engine_pb');
  // The SDK's own copy, because its stubs accept no other.
  const grpc = createRequire(require.resolve('@pulumi/pulumi'))('@grpc/grpc-js');
  const client = new Client(address, grpc.credentials.createInsecure());
  const { INFO, WARNING } = proto.LogSeverity;
  return {
    log(weight, urn, message) {
      const request = new proto.LogRequest();
      request.setSeverity(weight === 'warning' ? WARNING : INFO);
      request.setUrn(urn);
      request.setMessage(message);
      request.setEphemeral(weight === 'progress');
      return new Promise((resolve, reject) => {
        client.log(request, (error: Error | null) => (error ? reject(error) : resolve()));
      });
    },
  };
}
