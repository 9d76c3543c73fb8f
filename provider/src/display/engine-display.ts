import { createRequire } from 'node:module';
import { type Progress, ProgressLines, silence } from './progress';

/** `progress` is shown live and forgotten; a `note` and a `warning` stay under Diagnostics of the resource. */
type Severity = 'progress' | 'note' | 'warning';

interface EngineClient {
  log(weight: Severity, urn: string, message: string): Promise<void>;
}

/** Where a run shows what it does. */
export interface Display {
  /**
   * The row of a resource; nothing is shown without a URN.
   * @param present makes a line fit to be shown: it quotes the service
   */
  forResource(urn: string | undefined, present: (line: string) => string): Progress;
  /** Shows something that stays. */
  tell(weight: 'note' | 'warning', urn: string, message: string): Promise<void>;
}

/** Pulumi's own display, reached over the engine's log channel: lines appear in the row of the resource. */
export class EngineDisplay implements Display {
  readonly #client: EngineClient | undefined;

  constructor(hostArguments: readonly string[]) {
    this.#client = connect(hostArguments);
  }

  forResource(urn: string | undefined, present: (line: string) => string): Progress {
    if (urn === undefined) return silence;
    return new ProgressLines(
      (line) => void this.#client?.log('progress', urn, present(line)).catch(() => undefined),
    );
  }

  /** Under the resource, or on the console where there is no engine. */
  async tell(weight: 'note' | 'warning', urn: string, message: string): Promise<void> {
    const told = this.#client?.log(weight, urn, message) ?? Promise.reject(new Error('no engine'));
    await told.catch(() => process.stderr.write(`${weight}: ${message}\n`));
  }
}

function isEngineAddress(argument: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(argument);
}

/** Whether this process hosts providers for a running engine, whose address is its first argument. */
export function isProviderHost(hostArguments: readonly string[]): boolean {
  return hostArguments.some(isEngineAddress);
}

function connect(hostArguments: readonly string[]): EngineClient | undefined {
  const address = hostArguments.find(isEngineAddress);
  if (!address) return undefined;
  try {
    return createClient(address);
  } catch {
    // A release of the SDK that has moved its stubs costs the display, never the work.
    return undefined;
  }
}

function createClient(address: string): EngineClient {
  // Loaded here and not on top: only the host of a running engine needs them.
  const { EngineClient: Client } =
    require('@pulumi/pulumi/proto/engine_grpc_pb') as typeof import('@pulumi/pulumi/proto/engine_grpc_pb');
  const proto = require('@pulumi/pulumi/proto/engine_pb') as typeof import('@pulumi/pulumi/proto/engine_pb');
  // The one that the SDK itself uses: its stubs take no other.
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
