export { ApiError } from './api-error';
export type { AddedOperation } from './controls';
export type { EndpointAttributes, NewEndpointAttributes } from './endpoint-attributes';
export type * from './faults/faults';
export type { ForeignEndpointOptions, ForeignOperation, ForeignOperationChange } from './foreign-records';
export type { LoggedRequest } from './http/request-log';
export type { EmulatorOptions, LockScope } from './options';
export type { PlanName } from './plans';
export type { NewProject } from './projects';
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
} from './wire';
