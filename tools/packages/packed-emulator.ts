import { createInterface } from 'node:readline';
import execa from 'execa';
import { sendRequest } from '../../tests/support/send-request';

/** The installed emulator, started by its command and called over HTTP. */
export interface PackedEmulator {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Creates a branch without an endpoint, in a new project. */
  createBranch(): Promise<{ projectId: string; branchId: string }>;
  countEndpoints(projectId: string, branchId: string): Promise<number>;
  stop(): Promise<void>;
}

interface Answer {
  readonly project: { readonly id: string };
  readonly branch: { readonly id: string };
  readonly endpoints: readonly { readonly branch_id: string }[];
}

const operationMs = 200;
const lockedPauseMs = 50;
const lockedTries = 100;

export async function startPackedEmulator(
  command: string,
  cwd: string,
  env: Record<string, string>,
): Promise<PackedEmulator> {
  const child = execa(command, ['--operation-ms', String(operationMs)], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
  });
  const { baseUrl, apiKey } = await readSettings(child);
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await sendRequest({ url: baseUrl, apiKey }, method, path, body);
      if (response.ok) return (await response.json()) as Answer; // The parts that are used here.
      const isLocked = response.status === 423 && attempt < lockedTries;
      if (!isLocked) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      await new Promise((resolve) => setTimeout(resolve, lockedPauseMs));
    }
  };
  return {
    baseUrl,
    apiKey,
    createBranch: async () => {
      const { project } = await call('POST', '/projects', { project: { name: 'trial' } });
      const { branch } = await call('POST', `/projects/${project.id}/branches`, {
        branch: { name: 'feature' },
      });
      return { projectId: project.id, branchId: branch.id };
    },
    countEndpoints: async (projectId, branchId) => {
      const { endpoints } = await call('GET', `/projects/${projectId}/endpoints`);
      return endpoints.filter(({ branch_id }) => branch_id === branchId).length;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await child;
    },
  };
}

/** @throws Error with the command's stderr, if it exits before it has printed its settings */
async function readSettings(child: execa.ExecaChildProcess): Promise<{ baseUrl: string; apiKey: string }> {
  if (!child.stdout) throw new Error('The emulator has no pipe for its output.');
  let baseUrl: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^POSTGRES_COMPUTE_(BASE_URL|API_KEY)=(.+)$/.exec(line) ?? [];
    if (name === 'BASE_URL') baseUrl = value;
    if (name === 'API_KEY' && baseUrl && value) return { baseUrl, apiKey: value };
  }
  const { exitCode, stderr } = await child;
  throw new Error(`postgres-control-emulator ended with exit code ${exitCode}:\n${stderr}`);
}
