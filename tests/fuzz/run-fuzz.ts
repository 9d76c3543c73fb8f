import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { startFuzzWorld } from './fuzz-world';
import { findHollowCalls } from './hollow-calls';
import { installSchemathesis, MissingTool } from './python-tools';
import { describeServedCalls, SERVED_CALLS } from './served-description';

// Sends the emulator valid and invalid requests that schemathesis generates from the official API description, and checks
// every response against it: no 5xx, the described statuses, types and bodies, and a 4xx for invalid requests.
// FUZZ_SEED repeats a run, FUZZ_EXAMPLES widens it. With REQUIRE_FUZZ=1, it fails where it cannot run.

const folder = join(__dirname, '../../.fuzz');
const seed = process.env.FUZZ_SEED ?? '1';
const examples = process.env.FUZZ_EXAMPLES ?? '30';

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];

void main();

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // Git and the linter ignore the folder.
  writeFileSync(join(folder, '.gitignore'), '*\n');
  try {
    const schemathesis = await installSchemathesis(folder);
    process.exitCode = await fuzz(schemathesis);
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error;
    process.exitCode = process.env.REQUIRE_FUZZ === '1' ? 1 : 0;
    process.stdout.write(`Fuzzing of the emulator skipped: ${error.message}\n`);
  }
}

async function fuzz(schemathesis: string): Promise<number> {
  const world = await startFuzzWorld();
  try {
    const description = join(folder, 'served.json');
    writeFileSync(description, JSON.stringify(describeServedCalls(world)));
    const args = ['run', description, '--url', world.emulator.url];
    args.push('--header', `Authorization: Bearer ${world.emulator.apiKey}`, '--checks', CHECKS.join(','));
    args.push('--phases', 'examples,coverage,fuzzing', '--seed', seed, '--max-examples', examples);
    args.push('--generation-database', 'none', '--request-timeout', '10', '--no-color');
    const { exitCode } = await execa(schemathesis, args, { cwd: folder, stdio: 'inherit', reject: false });
    const hollow = findHollowCalls(world.emulator.requests(), SERVED_CALLS);
    for (const complaint of hollow) process.stdout.write(`${complaint}\n`);
    return exitCode === 0 && hollow.length === 0 ? 0 : 1;
  } finally {
    await world.emulator.stop();
  }
}
