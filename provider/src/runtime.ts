import { EndpointProvider } from './endpoint-provider';

/** The provider that a state's `__provider` text asks for: the one module that state refers to. */
export const provider = new EndpointProvider();
