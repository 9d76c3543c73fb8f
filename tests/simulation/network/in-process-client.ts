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
 * Implements what the provider and axios-retry use of an axios instance: interceptors and flat configurations. A real instance spends
 * a fifth of a schedule's time copying its defaults. A test compares the two.
 */
function createInstance(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const ofRequests: Fulfilled<InternalAxiosRequestConfig>[] = [];
  const ofResponses: [Fulfilled<AxiosResponse>, Rejected][] = [];
  // The network reads no other headers.
  const headers = new AxiosHeaders({ ...(defaults.headers as object) });
  const send = (given: AxiosRequestConfig): Promise<AxiosResponse> => {
    let request = Promise.resolve(toConfig(defaults, given, headers));
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

function toConfig(
  defaults: CreateAxiosDefaults,
  given: AxiosRequestConfig,
  headers: InternalAxiosRequestConfig['headers'],
): InternalAxiosRequestConfig {
  const { data } = given;
  return {
    validateStatus: (status) => status >= 200 && status < 300,
    ...(defaults as AxiosRequestConfig),
    ...given,
    method: (given.method ?? 'get').toLowerCase(),
    headers,
    data: typeof data === 'object' ? JSON.stringify(data) : data,
  };
}

async function dispatch(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  if (typeof config.adapter !== 'function') throw new Error('the request has no adapter function');
  return config.adapter(config);
}
