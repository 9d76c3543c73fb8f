import type { Emulator, Endpoint } from 'postgres-control-emulator';
import { sendRequest } from './send-request';
import { settled } from './service-client';

/** Creates endpoints in every state, and operations that finished, failed and are in progress. */
export async function fillConsole(emulator: Emulator): Promise<void> {
  emulator.createProject({ name: 'reporting' });
  const sandbox = emulator.createProject({ name: 'sandbox' });
  const { id } = emulator.createProject({ name: 'shop' });
  const [main] = emulator.endpoints(id);
  if (main === undefined) throw new Error(`project ${id} has no endpoint`);
  emulator.changeEndpoint(main.id, { name: 'shop-main', autoscaling_limit_max_cu: 4 });

  const legacy = await createEndpoint(emulator, id, { name: 'shop-archive', suspend_timeout_seconds: 0 });
  await send(emulator, 'PATCH', `/projects/${id}/endpoints/${legacy.id}`, { endpoint: { disabled: true } });
  const preview = await createEndpoint(emulator, id, { name: 'shop-preview', suspend_timeout_seconds: 60 });
  await send(emulator, 'POST', `/projects/${id}/endpoints/${preview.id}/suspend`);
  await settled(emulator, id);
  emulator.inject({
    match: { action: 'start_compute', endpointId: preview.id },
    effect: { kind: 'operation-fails', error: 'no capacity left in local-east-1' },
  });
  emulator.connect(preview.id);
  await settled(emulator, id);
  await createEndpoint(emulator, id, { branch_id: main.branch_id, name: 'shop-replica', type: 'read_only' });

  emulator.inject({ match: { projectId: id, action: 'apply_config' }, effect: { kind: 'operation-hangs' } });
  const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 8 };
  await send(emulator, 'PATCH', `/projects/${id}/endpoints/${main.id}`, { endpoint: size });
  emulator.lockProject(sandbox.id);
}

type SceneEndpoint = { name: string; branch_id?: string; type?: string; suspend_timeout_seconds?: number };

/** Creates an endpoint on a new branch, unless the attributes have one. Returns when its compute is active. */
async function createEndpoint(emulator: Emulator, projectId: string, attributes: SceneEndpoint) {
  const branch = () =>
    emulator.createBranch(projectId, { name: attributes.name.replace('shop-', 'feature/') });
  const branch_id = attributes.branch_id ?? branch().id;
  const endpoint = { type: 'read_write', branch_id, ...attributes };
  const answer = await send(emulator, 'POST', `/projects/${projectId}/endpoints`, { endpoint });
  await settled(emulator, projectId);
  // Our own emulator's answer to a create.
  return (answer as { endpoint: Endpoint }).endpoint;
}

async function send(emulator: Emulator, method: string, path: string, body?: object): Promise<unknown> {
  const response = await sendRequest(emulator, method, path, body);
  if (response.ok) return response.json();
  throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
