import * as proto from '@pulumi/pulumi/proto/provider_pb';
import type { InputFailure } from '../lifecycle/input-values';
import type { PropertyChange } from './plugin-provider';
import { type WrittenProperties, writeProperties } from './properties';

const { Kind } = proto.PropertyDiff;

export function toPropertyDiff(change: PropertyChange, isReplacing: boolean): proto.PropertyDiff {
  const kinds = {
    add: [Kind.ADD, Kind.ADD_REPLACE],
    delete: [Kind.DELETE, Kind.DELETE_REPLACE],
    update: [Kind.UPDATE, Kind.UPDATE_REPLACE],
  } as const;
  return new proto.PropertyDiff().setKind(kinds[change][isReplacing ? 1 : 0]);
}

export function toCheckResponse(
  inputs: WrittenProperties,
  failures: readonly InputFailure[],
): proto.CheckResponse {
  return new proto.CheckResponse()
    .setInputs(writeProperties(inputs))
    .setFailuresList(failures.map(toFailure));
}

export function toFailure({ property, reason }: InputFailure): proto.CheckFailure {
  return new proto.CheckFailure().setProperty(property).setReason(reason);
}
