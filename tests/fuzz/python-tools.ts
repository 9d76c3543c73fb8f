import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';

const requirements = join(__dirname, 'requirements.txt');
const OLDEST_PYTHON = [3, 11] as const;
const IS_WINDOWS = process.platform === 'win32';

/** The reason why schemathesis cannot run here, which is not a finding. */
export class MissingTool extends Error {
  override readonly name = 'MissingTool';
}

/**
 * Installs schemathesis into a Python environment in the folder, again when the requirements change. Returns its path.
 * @throws MissingTool without a recent Python, or if the installation fails
 */
export async function installSchemathesis(folder: string): Promise<string> {
  const python = await findPython();
  const environment = join(folder, 'venv');
  const command = join(environment, IS_WINDOWS ? 'Scripts/schemathesis.exe' : 'bin/schemathesis');
  const stamp = join(folder, 'installed');
  const wanted = `${python.version} ${createHash('sha256').update(readFileSync(requirements)).digest('hex')}`;
  if (existsSync(command) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return command;

  rmSync(environment, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run(python.command, ['-m', 'venv', environment], 'cannot make a Python environment');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(
    join(environment, IS_WINDOWS ? 'Scripts/python.exe' : 'bin/python'),
    [...pip, '--require-hashes', '--only-binary', ':all:', '--requirement', requirements],
    'cannot install schemathesis',
  );
  writeFileSync(stamp, wanted);
  return command;
}

/** @throws MissingTool without a recent Python */
export async function findPython(): Promise<{ command: string; version: string }> {
  const [major, minor] = OLDEST_PYTHON;
  const found: string[] = [];
  for (const command of ['python3', 'python']) {
    const { stdout, failed } = await execa(command, ['--version'], { reject: false });
    const version = failed ? undefined : /^Python (3\.(\d+)\.\S+)/.exec(stdout);
    if (version?.[1] === undefined) continue;
    if (Number(version[2]) >= minor) return { command, version: version[1] };
    found.push(`${command} is ${version[1]}`);
  }
  const reason = found.length > 0 ? found.join(', ') : 'there is no Python';
  throw new MissingTool(`it needs Python ${major}.${minor} or newer, and ${reason}`);
}

async function run(command: string, args: readonly string[], failure: string): Promise<void> {
  try {
    await execa(command, args);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MissingTool(`${failure}: ${reason}`, { cause: error });
  }
}
