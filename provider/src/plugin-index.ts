// For programs whose endpoints the provider plugin manages: the same names as in index.ts.
export * from './index';
export { Branch } from './resources/plugin-branch';
export { ComputeEndpoint } from './resources/plugin-compute-endpoint';
export { Database } from './resources/plugin-database';
export { Role } from './resources/plugin-role';
export { Provider } from './resources/provider';
export type { ProviderArgs } from './resources/provider-args';
