import { createInterface } from 'node:readline';
import execa from 'execa';
import { sendRequest } from '../../tests/support/send-request';

interface Answer {
  readonly project: { readonly id: string };
  readonly branch: { readonly id: string };
}

/** Starts the installed emulator by its command, and creates a branch without an endpoint over HTTP. */
export async function startPackedEmulator(command: string, cwd: string, env: Record<string, string>) {
  const child = execa(command, ['--operation-ms', '200', '--locks', 'none'], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await child;
  };
  const settings = await readSettings(child);
  const post = async (path: string, body: object) => {
    const { POSTGRES_COMPUTE_BASE_URL: url, POSTGRES_COMPUTE_API_KEY: apiKey } = settings;
    const response = await sendRequest({ url, apiKey }, 'POST', path, body);
    return (await response.json()) as Answer; // The parts that are used here.
  };
  const { project } = await post('/projects', { project: { name: 'trial' } });
  const { branch } = await post(`/projects/${project.id}/branches`, { branch: { name: 'feature' } });
  return { settings, projectId: project.id, branchId: branch.id, stop };
}

/** @throws Error with the command's stderr, if it exits before it has printed its settings */
async function readSettings(child: execa.ExecaChildProcess) {
  if (!child.stdout) throw new Error('The emulator has no pipe for its output.');
  let printed = '';
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    const [, url, key] =
      /^POSTGRES_COMPUTE_BASE_URL=(.+)\nPOSTGRES_COMPUTE_API_KEY=(.+)$/m.exec(printed) ?? [];
    if (url && key) return { POSTGRES_COMPUTE_BASE_URL: url, POSTGRES_COMPUTE_API_KEY: key };
  }
  const { exitCode, stderr } = await child;
  throw new Error(`postgres-control-emulator ended with exit code ${exitCode}:\n${stderr}`);
}
