import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ErrorResourceInitFailed } from '@pulumi/pulumi/proto/provider_pb';
import { Status } from '@pulumi/pulumi/proto/status_pb';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { messageOf } from '../control-api/control-api-error';
import { type WrittenProperties, writeProperties } from './properties';

/** A failure of a resource that exists: the engine keeps it in state, with these outputs. */
export class PluginPartialStateError extends Error {
  override readonly name = 'PluginPartialStateError';
  readonly id: string;
  readonly outputs: WrittenProperties;

  constructor(message: string, id: string, outputs: WrittenProperties) {
    super(message);
    this.id = id;
    this.outputs = outputs;
  }
}

/** A call that needs the settings, before the engine has passed them. */
export class NotConfiguredError extends Error {
  constructor() {
    super('the provider is not configured yet');
  }
}

/** The error as a gRPC error. A PluginPartialStateError carries the id and the outputs that the engine stores. */
export function toServiceError(error: unknown): Partial<ServiceError> {
  const details = messageOf(error);
  if (error instanceof NotConfiguredError) return { code: status.FAILED_PRECONDITION, details };
  if (!(error instanceof PluginPartialStateError)) return { code: status.UNKNOWN, details };
  const detail = new ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(writeProperties(error.outputs))
    .setReasonsList([details]);
  const packed = new Any();
  packed.pack(detail.serializeBinary(), 'pulumirpc.ErrorResourceInitFailed');
  const message = new Status().setCode(status.UNKNOWN).setMessage(details);
  message.addDetails(packed);
  const metadata = new Metadata();
  metadata.add('grpc-status-details-bin', Buffer.from(message.serializeBinary()));
  return { code: status.UNKNOWN, details, metadata };
}
