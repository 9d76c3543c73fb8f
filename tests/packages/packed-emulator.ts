import { startCommand } from '../support/emulator-command';
import { sendRequest } from '../support/send-request';

type Answer = Record<'project' | 'branch', { readonly id: string }>;

/** Starts the installed emulator by its command, and creates a branch without an endpoint over HTTP. */
export async function startPackedEmulator(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  options: readonly string[] = [],
) {
  const words = [command, '--operation-ms', '200', '--locks', 'none', ...options];
  const emulator = await startCommand(words, { cwd, env });
  /** Returns the response, of which the caller knows the shape. */
  const call = async <Response>(method: string, path: string, body?: object) => {
    const response = await sendRequest(emulator, method, path, body);
    return (await response.json()) as Response;
  };
  const { project, branch: first } = await call<Answer>('POST', '/projects', { project: { name: 'trial' } });
  const branches = `/projects/${project.id}/branches`;
  const { branch } = await call<Answer>('POST', branches, { branch: { name: 'feature' } });
  return {
    settings: { POSTGRES_COMPUTE_BASE_URL: emulator.url, POSTGRES_COMPUTE_API_KEY: emulator.apiKey },
    call,
    projectId: project.id,
    defaultBranchId: first.id,
    branchId: branch.id,
    stop: () => emulator.end('SIGTERM'),
  };
}
