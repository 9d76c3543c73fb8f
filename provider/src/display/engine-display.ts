import { createRequire } from 'node:module';
import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import { type Progress, ProgressLines } from './progress';

/** `progress` is shown live and forgotten; a `note` and a `warning` stay under Diagnostics of the resource. */
type Weight = 'progress' | 'note' | 'warning';

interface EngineClient {
  log(weight: Weight, urn: string, message: string): Promise<void>;
}

/** Pulumi's own display, reached over the engine's log channel: lines appear in the row of the resource. */
export class EngineDisplay {
  readonly #client: EngineClient | undefined;

  constructor(hostArguments: readonly string[]) {
    this.#client = connect(hostArguments);
  }

  /** The row of a resource. Lines are made printable: they quote the service. */
  forResource(urn: string, redact: Redact): Progress {
    return new ProgressLines(
      (line) => void this.#client?.log('progress', urn, toPrintable(redact(line))).catch(() => undefined),
    );
  }

  /** Says something that stays: under the resource, or on the console where there is no engine to tell. */
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
