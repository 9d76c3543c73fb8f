export { ApiError } from './records/api-error';
export type { AddedOperation } from './controls/controls';
export type { EndpointAttributes, NewEndpointAttributes } from './requests/endpoint-attributes';
export type * from './faults/faults';
export type { ForeignEndpointOptions, ForeignOperation, ForeignOperationChange } from './controls/foreign-operations';
export type { LoggedRequest } from './requests/request-log';
export type { EmulatorOptions, LockScope } from './options/emulator-options';
export type { PlanName } from './limits/plans';
export type { NewProject } from './control-plane/projects';
export { type Emulator, startEmulator } from './start-emulator';
export type {
  Branch,
  DefaultEndpointSettings,
  Endpoint,
  EndpointSettings,
  EndpointState,
  EndpointType,
  Operation,
  Project,
} from './records/wire-types';
