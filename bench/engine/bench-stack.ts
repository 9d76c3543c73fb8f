import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Emulator, EmulatorOptions } from 'postgres-control-emulator';
import { type DoorName, pluginFolder, programDoors, usePlugin } from '../../tests/support/program-doors';
import { makeStack, type PulumiStack } from '../../tests/support/pulumi-stack';
import { startMeter } from '../request-meter';

/** A ComputeEndpoint, or a resource whose provider does nothing. */
export type Kind = 'ours' | 'empty';

interface Contents {
  readonly door: DoorName;
  readonly kind: Kind;
  readonly count: number;
}

const projectCount = 2;
const baselines = join(__dirname, '..', 'baselines');

/** Runs the work on a stack of so many endpoints and an emulator of its own, whose requests are counted. */
export async function withBenchStack<Result>(
  { door, kind, count }: Contents,
  options: EmulatorOptions,
  work: (stack: PulumiStack, emulator: Emulator) => Promise<Result>,
): Promise<Result> {
  const { stack, emulator, close } = await makeStack((folder) => fillFolder(folder, door, kind), {
    locks: 'none',
    maxEndpoints: 5_000,
    ...options,
  });
  startMeter(emulator);
  try {
    stack.environment = {
      ...stack.environment,
      BENCH_COUNT: String(count),
      BENCH_PROJECTS: JSON.stringify(prepareProjects(emulator)),
      BENCH_DOOR: door,
      BENCH_EMPTY_PROVIDER: join(stack.folder, 'empty-provider.js'),
      // The account's limit would hold back a service that takes no time; its own figure shows that it is kept.
      POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: '1000000',
    };
    return await work(stack, emulator);
  } finally {
    await close();
  }
}

async function fillFolder(folder: string, door: DoorName, kind: Kind): Promise<void> {
  const emptyPlugin = join(folder, 'empty-plugin');
  const project = {
    name: 'bench',
    main: 'index.js',
    runtime: { name: 'nodejs', options: { typescript: false } },
    plugins: usePlugin(kind === 'ours' ? pluginFolder : emptyPlugin),
  };
  // JSON is YAML.
  await writeFile(join(folder, 'Pulumi.yaml'), JSON.stringify(project));
  await writeFile(join(folder, 'package.json'), '{}');
  await cp(join(__dirname, 'program.js'), join(folder, 'index.js'));
  if (kind === 'ours') {
    const text = `exports.Kind = require('${programDoors[door].importPath}').ComputeEndpoint;\n`;
    await writeFile(join(folder, 'kind.js'), text);
    return;
  }
  await cp(join(baselines, 'empty-resource.js'), join(folder, 'kind.js'));
  for (const file of ['empty-endpoint.js', 'empty-provider.js'])
    await cp(join(baselines, file), join(folder, file));
  await buildEmptyPlugin(emptyPlugin);
}

/** In one file and with the launcher of the package, so that the two differ only in what they do. */
async function buildEmptyPlugin(folder: string): Promise<void> {
  await mkdir(folder);
  for (const file of ['pulumi-resource-postgres-compute', 'PulumiPlugin.yaml'])
    await cp(join(pluginFolder, file), join(folder, file));
  await build({
    entryPoints: [join(baselines, 'empty-plugin.js')],
    outfile: join(folder, 'main.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
}

function prepareProjects(emulator: Emulator) {
  return Array.from({ length: projectCount }, () => {
    const { id } = emulator.createProject({});
    return { projectId: id, branchId: emulator.createBranch(id).id };
  });
}
