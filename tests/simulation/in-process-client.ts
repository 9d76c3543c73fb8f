import axios, {
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosResponse,
  type CreateAxiosDefaults,
  type InternalAxiosRequestConfig,
} from 'axios';

type Fulfilled<Value> = ((value: Value) => Value | Promise<Value>) | null | undefined;
type Rejected = ((error: unknown) => unknown) | null | undefined;

/** Puts `createInstance` in place of `axios.create`. Returns a function that puts it back. */
export function replaceAxiosInstances(): () => void {
  const { create } = axios;
  axios.create = createInstance;
  return () => {
    axios.create = create;
  };
}

/**
 * As much of an axios instance as the provider and axios-retry use: interceptors, and configurations without nesting. One of
 * axios takes a fifth of the time of a schedule, to copy its defaults with each request. A test compares the two.
 */
function createInstance(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const ofRequests: Fulfilled<InternalAxiosRequestConfig>[] = [];
  const ofResponses: [Fulfilled<AxiosResponse>, Rejected][] = [];
  const send = (given: AxiosRequestConfig): Promise<AxiosResponse> => {
    let request = Promise.resolve(toConfig(defaults, given));
    for (const intercept of ofRequests) request = request.then(intercept);
    let response = request.then(dispatch);
    for (const [fulfilled, rejected] of ofResponses)
      response = response.then(fulfilled, rejected as (error: unknown) => AxiosResponse);
    return response;
  };
  const interceptors = {
    request: { use: (fulfilled: Fulfilled<InternalAxiosRequestConfig>) => ofRequests.unshift(fulfilled) },
    response: {
      use: (fulfilled: Fulfilled<AxiosResponse>, rejected: Rejected) =>
        ofResponses.push([fulfilled, rejected]),
    },
  };
  // The provider and axios-retry use nothing else of it.
  return Object.assign(send, { request: send, defaults, interceptors }) as unknown as AxiosInstance;
}

function toConfig(defaults: CreateAxiosDefaults, given: AxiosRequestConfig): InternalAxiosRequestConfig {
  const { data } = given;
  return {
    validateStatus: (status) => status >= 200 && status < 300,
    ...(defaults as AxiosRequestConfig),
    ...given,
    method: (given.method ?? 'get').toLowerCase(),
    headers: new AxiosHeaders({ ...(defaults.headers as object), ...(given.headers as object) }),
    data: typeof data === 'object' ? JSON.stringify(data) : data,
  };
}

async function dispatch(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  if (typeof config.adapter !== 'function') throw new Error('a request of the provider has its own adapter');
  return config.adapter(config);
}
