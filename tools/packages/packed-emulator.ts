import { startCommand } from '../../tests/support/emulator-command';
import { sendRequest } from '../../tests/support/send-request';

type Answer = Record<'project' | 'branch', { readonly id: string }>;

/** Starts the installed emulator by its command, and creates a branch without an endpoint over HTTP. */
export async function startPackedEmulator(command: string, cwd: string, env: Record<string, string>) {
  const words = [command, '--operation-ms', '200', '--locks', 'none'];
  const emulator = await startCommand(words, { cwd, env });
  const post = async (path: string, body: object) => {
    const response = await sendRequest(emulator, 'POST', path, body);
    return (await response.json()) as Answer; // The parts that are used here.
  };
  const { project } = await post('/projects', { project: { name: 'trial' } });
  const { branch } = await post(`/projects/${project.id}/branches`, { branch: { name: 'feature' } });
  return {
    settings: { POSTGRES_COMPUTE_BASE_URL: emulator.url, POSTGRES_COMPUTE_API_KEY: emulator.apiKey },
    projectId: project.id,
    branchId: branch.id,
    stop: () => emulator.end('SIGTERM'),
  };
}
