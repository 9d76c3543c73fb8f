import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { expect, onTestFinished } from 'vitest';

/** A response of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or undefined for a response without a body. */
  readonly body: Body | undefined;
}

// The attributes that tests read; the expectations of each test check that they are present.
interface Body {
  readonly [key: string]: unknown;
  readonly message: string;
  readonly endpoint: Record<string, unknown> & { id: string };
  readonly endpoints: (Record<string, unknown> & { id: string })[];
  readonly operations: { id: string; action: string; status: string }[];
  readonly branch: { id: string };
  readonly project: { id: string };
  readonly pagination: { cursor: string };
}

/** Sends requests to an emulator, and reads JSON. */
export const clientOf =
  ({ url, apiKey }: Pick<Emulator, 'url' | 'apiKey'>) =>
  async (method: string, path: string, body?: unknown, key = apiKey): Promise<ServiceResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };

/** Starts an emulator with a project and an empty branch. Returns it with a plain HTTP client. */
export async function startService(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.stop());
  const project = emulator.createProject({ name: 'test' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  const call = clientOf(emulator);
  const endpoints = `/projects/${project.id}/endpoints`;
  const create = (attributes: object = {}) =>
    call('POST', endpoints, { endpoint: { branch_id: branch.id, type: 'read_write', ...attributes } });
  /** Creates an endpoint and waits until its compute is active. */
  const createActive = async (attributes: object = {}): Promise<string> => {
    const { body } = await create(attributes);
    await settled(emulator, project.id);
    return body?.endpoint.id ?? '';
  };
  const held = (id: string) => emulator.endpoints(project.id).find((endpoint) => endpoint.id === id);
  return {
    emulator,
    project,
    branch,
    call,
    endpoints,
    create,
    createActive,
    settled: () => settled(emulator, project.id),
    held,
  };
}

/** Waits for every operation of the project. */
export function settled(emulator: Emulator, projectId: string) {
  const unfinished = () =>
    emulator.operations(projectId).filter(({ status }) => ['scheduling', 'running'].includes(status));
  return expect.poll(unfinished).toEqual([]);
}

export function actionsOf(response: ServiceResponse): string[] {
  return response.body?.operations.map(({ action }) => action) ?? [];
}
