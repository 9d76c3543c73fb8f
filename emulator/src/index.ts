export { ApiError } from './api-error';
export type { EndpointAttributes } from './endpoint-attributes';
export type {
  Fault,
  InjectedFault,
  OperationEffect,
  OperationFault,
  OperationMatch,
  RequestEffect,
  RequestFault,
  RequestMatch,
} from './faults';
export type { EmulatorOptions, LockScope } from './options';
export type { LoggedRequest } from './request-log';
export { type Emulator, startEmulator } from './start-emulator';
export type { Branch, Endpoint, Operation, Project } from './wire';
