import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filedStatePath, secretSignature, toStackState } from '../simulation/engine/agreement/filed-state';
import { Stack } from '../simulation/engine/stack';
import { apiKey } from '../simulation/user/world';
import { type DoorName, programDoors } from '../support/program-doors';
import { makeProject, PulumiStack } from '../support/pulumi-stack';
import { projectName, writeProject } from './program';

/** A stack of the real CLI, in a folder of its own. */
export class RealStack extends Stack {
  readonly door: DoorName;
  readonly pulumi: PulumiStack;
  readonly remove: () => Promise<void>;

  constructor(
    name: string,
    door: DoorName,
    { stack, remove }: { stack: PulumiStack; remove: () => Promise<void> },
  ) {
    super(name);
    this.door = door;
    this.pulumi = stack;
    this.remove = remove;
  }

  override urnOf(resource: string, type: 'ComputeEndpoint' | 'Branch' = 'ComputeEndpoint'): string {
    const token = programDoors[this.door].typeToken.replace(/ComputeEndpoint$/, type);
    return `urn:pulumi:${this.name}::${projectName}::${token}::${resource}`;
  }

  /** The CLI with the environment of one run. */
  commandOf(environment: NodeJS.ProcessEnv): PulumiStack {
    const { folder, command, backend, environment: common } = this.pulumi;
    return new PulumiStack(folder, command, backend, { ...common, ...environment });
  }

  override async unlock(): Promise<void> {
    await this.pulumi.run('cancel', '--yes');
    await super.unlock();
  }

  override async taint(urn: string): Promise<void> {
    await this.pulumi.run('state', 'taint', '--yes', urn);
    await this.read();
  }

  /** Reads the state: from its file, which is quick, unless something in it is encrypted. */
  async read(): Promise<void> {
    const { backend } = this.pulumi;
    const text = await readFile(filedStatePath(backend, projectName, this.name), 'utf8');
    if (!text.includes(secretSignature)) {
      this.state = toStackState(JSON.parse(text).checkpoint.latest);
      return;
    }
    const { stdout } = await this.pulumi.run('stack', 'export', '--show-secrets');
    this.state = toStackState(JSON.parse(stdout).deployment);
  }

  /** Whether a run holds the lock, or has left it. */
  async isLocked(): Promise<boolean> {
    const locks = join(this.pulumi.backend, '.pulumi', 'locks', 'organization', projectName, this.name);
    return (await readdir(locks).catch(() => [])).length > 0;
  }

  /** Every file of the backend: states, their copies and the history. */
  async *files(): AsyncGenerator<{ readonly name: string; readonly text: string }> {
    const { backend } = this.pulumi;
    for (const entry of await readdir(backend, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      yield { name: file.slice(backend.length), text: await readFile(file, 'utf8') };
    }
  }
}

export async function makeRealStack(name: string, door: DoorName): Promise<RealStack> {
  const settings = { POSTGRES_COMPUTE_API_KEY: apiKey };
  return new RealStack(name, door, await makeProject((folder) => writeProject(folder, door), settings, name));
}
