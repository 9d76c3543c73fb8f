import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalWorkspace, type Stack } from '@pulumi/pulumi/automation';
import { Client } from 'pg';
import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { afterAll, beforeAll, expect, it } from 'vitest';

const stackName = 'unit-test';
const timeoutMs = 120_000;
/** With Postgres on PATH, a real server runs behind each endpoint. */
const hasPostgres = spawnSync('postgres', ['--version']).status === 0;

let stateFolder: string;
let emulator: Emulator;
let branchId: string;
let stack: Stack;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'program-test-'));
  emulator = await startEmulator({ operationMs: 50, postgres: hasPostgres });
  const project = emulator.createProject();
  const [production] = emulator.endpoints(project.id);
  if (hasPostgres && production) await query(production.id, 'CREATE TABLE orders AS SELECT 7 AS id');
  branchId = emulator.createBranch(project.id).id;
  // The program as it is deployed, but with its own state and the emulator as the service.
  const envVars = {
    PULUMI_BACKEND_URL: `file://${stateFolder}`,
    PULUMI_CONFIG_PASSPHRASE: 'unit test',
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
  };
  stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir: __dirname }, { envVars });
  await stack.setAllConfig({ projectId: { value: project.id }, branchId: { value: branchId } });
}, timeoutMs);

afterAll(async () => {
  await emulator.stop();
  // This also removes Pulumi.unit-test.yaml.
  await stack.workspace.removeStack(stackName, { force: true });
  await rm(stateFolder, { recursive: true, force: true });
}, timeoutMs);

function held() {
  const endpoint = emulator.endpoints().find(({ branch_id }) => branch_id === branchId);
  if (!endpoint) throw new Error(`Branch ${branchId} has no endpoint.`);
  return endpoint;
}

/** The rows of a statement. */
async function query(endpointId: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: emulator.localConnectionUri(endpointId) });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it(
  'creates an endpoint that scales to 1 CU and suspends after 5 minutes',
  async () => {
    const { outputs } = await stack.up();
    expect(outputs.host?.value).toBe(held().host);
    expect(held()).toMatchObject({
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 1,
      suspend_timeout_seconds: 300,
    });
  },
  timeoutMs,
);

it(
  'drops no connections when the autosuspend delay changes',
  async () => {
    await stack.setConfig('suspendTimeoutSeconds', { value: '900' });
    await stack.up();
    expect(held().suspend_timeout_seconds).toBe(900);
    expect(emulator.connectionDrops(held().id)).toBe(0);
  },
  timeoutMs,
);

it(
  'restarts the compute once when its size changes',
  async () => {
    await stack.setConfig('maxCu', { value: '2' });
    await stack.up();
    expect(held().autoscaling_limit_max_cu).toBe(2);
    expect(emulator.restarts(held().id)).toBe(1);
  },
  timeoutMs,
);

it.skipIf(!hasPostgres)(
  "migrates the branch's copy of the production data",
  async () => {
    await query(held().id, await readFile(join(__dirname, 'migrations', '001-paid.sql'), 'utf8'));
    expect(await query(held().id, 'SELECT id, paid FROM orders')).toEqual([{ id: 7, paid: false }]);
  },
  timeoutMs,
);
