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
  const property = new proto.PropertyDiff();
  property.setKind(kinds[change][isReplacing ? 1 : 0]);
  return property;
}

export function toCheckResponse(
  inputs: WrittenProperties,
  failures: readonly InputFailure[],
): proto.CheckResponse {
  const response = new proto.CheckResponse();
  response.setInputs(writeProperties(inputs));
  response.setFailuresList(failures.map(toFailure));
  return response;
}

export function toFailure({ property, reason }: InputFailure): proto.CheckFailure {
  const failure = new proto.CheckFailure();
  failure.setProperty(property);
  failure.setReason(reason);
  return failure;
}
