export type { AddedOperation, ForeignEndpointOptions, ForeignOperation } from './controls/controls';
export type {
  Fault,
  InjectedFault,
  OperationEffect,
  OperationEffects,
  OperationFault,
  OperationMatch,
  RequestEffect,
  RequestEffects,
  RequestFault,
  RequestMatch,
} from './faults/faults';
export type { LoggedRequest } from './http/log-requests';
export type { EmulatorOptions, LockScope } from './options/emulator-options';
export { ApiError } from './records/api-error';
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
export type { BranchChange } from './requests/branch-attributes';
export type { EndpointAttributes, NewEndpointAttributes } from './requests/endpoint-attributes';
export type { NewProject } from './requests/project-attributes';
export { type Emulator, startEmulator } from './start-emulator';
