import type { credentials } from '@grpc/grpc-js';

/** `progress` is shown live only. A `warning` stays under the Diagnostics of the resource. */
export type Severity = 'progress' | 'warning';

/** The log channel of the engine. */
export interface EngineClient {
  log(severity: Severity, urn: string, message: string): Promise<void>;
}

/** What the client needs of grpc-js. It must be the copy that the stubs of the SDK use: they accept no other. */
interface Grpc {
  readonly credentials: Pick<typeof credentials, 'createInsecure'>;
}

/** The address of the running engine, which passes it to every provider process as an argument. */
export function findEngineAddress(processArguments: readonly string[]): string | undefined {
  return processArguments.find((argument) => /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(argument));
}

/**
 * Connects to the engine of this process. Undefined without one.
 * @param loadGrpc called only if there is an engine
 */
export function connectEngine(
  processArguments: readonly string[],
  loadGrpc: () => Grpc,
): EngineClient | undefined {
  const address = findEngineAddress(processArguments);
  if (!address) return undefined;
  try {
    return createClient(address, loadGrpc());
  } catch {
    // If a release of the SDK moves its stubs, progress is not shown, but the provider works.
    return undefined;
  }
}

function createClient(address: string, { credentials }: Grpc): EngineClient {
  // Loaded only here, because only the process of a running engine needs them.
  const { EngineClient: Client } =
    require('@pulumi/pulumi/proto/engine_grpc_pb') as typeof import('@pulumi/pulumi/proto/engine_grpc_pb');
  const proto = require('@pulumi/pulumi/proto/engine_pb') as typeof import('@pulumi/pulumi/proto/engine_pb');
  const client = new Client(address, credentials.createInsecure());
  const { INFO, WARNING } = proto.LogSeverity;
  return {
    log(severity, urn, message) {
      const request = new proto.LogRequest();
      request.setSeverity(severity === 'warning' ? WARNING : INFO);
      request.setUrn(urn);
      request.setMessage(message);
      request.setEphemeral(severity === 'progress');
      return new Promise((resolve, reject) => {
        client.log(request, (error: Error | null) => (error ? reject(error) : resolve()));
      });
    },
  };
}
