import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeStack } from '../../tests/pulumi-stack';
import { measureHostMemory } from '../engine/host-memory';
import { atMost, type Figure, mean } from '../figure';
import { measure } from '../service';

type Kind = 'ours' | 'empty';

const steps = {
  up: ['up', '--yes', '--skip-preview'],
  preview: ['preview'],
  refresh: ['refresh', '--yes', '--skip-preview'],
  destroy: ['destroy', '--yes', '--skip-preview'],
} as const;
type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[]; // Object.keys forgets the names of its argument.

interface Run {
  readonly seconds: Record<Step, number>;
  readonly requests: Record<Step, number>;
  readonly hostMb: number;
  readonly state: StateBytes;
}

const projectFile =
  'name: bench\nmain: index.js\nruntime: { name: nodejs, options: { typescript: false } }\n';
const projectCount = 2;

/**
 * The real CLI on so many endpoints of a service that takes no time, against the same number of resources whose
 * provider does nothing. The two take turns, and the fastest run of each counts.
 */
export async function measureEngineCost(count: number, rounds: number): Promise<Figure[]> {
  const runs: Record<Kind, Run[]> = { ours: [], empty: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['empty', 'ours'] as const) runs[kind].push(await runAll(kind, count));
  }
  const fastest = (kind: Kind, step: Step) => Math.min(...runs[kind].map(({ seconds }) => seconds[step]));
  const times = stepNames.map((step) => {
    const [ours, empty] = [fastest('ours', step), fastest('empty', step)];
    const row = atMost({ name: `${step} of ${count} endpoints, over c`, value: ours / empty, limit: 1.15 });
    return {
      ...row,
      baselines: `${ours.toFixed(1)} s, c ${empty.toFixed(1)} s`,
      numbers: { ...row.numbers, ours, c: empty },
    };
  });
  const worst = (of: (run: Run) => number) => Math.max(...runs.ours.map(of));
  return [
    ...times,
    atMost({
      name: 'state bytes per endpoint, inputs and outputs',
      value: worst((run) => run.state.ours),
      limit: 1_500,
      baselines: { 'whole, with what the engine adds': worst((run) => run.state.whole) },
    }),
    atMost({
      name: `requests in a preview without changes, ${count} endpoints`,
      value: worst((run) => run.requests.preview),
      limit: 0,
    }),
    atMost({
      name: `peak memory of the host process, ${count} endpoints`,
      value: worst((run) => run.hostMb),
      limit: 150,
      unit: ' MB',
      baselines: { c: Math.max(...runs.empty.map((run) => run.hostMb)) },
    }),
  ];
}

async function runAll(kind: Kind, count: number): Promise<Run> {
  const fill = async (folder: string) => {
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(__dirname, '..', 'engine', 'program.js'), join(folder, 'index.js'));
    await cp(join(__dirname, '..', 'baselines', 'empty-provider.js'), join(folder, 'empty.js'));
  };
  const options = { operationMs: 0, locks: 'none', maxEndpoints: 5_000 } as const;
  const { stack, emulator, close } = await makeStack(fill, options);
  try {
    const projects = Array.from({ length: projectCount }, () => {
      const { id } = emulator.createProject({});
      return { projectId: id, branchId: emulator.createBranch(id).id };
    });
    stack.environment = {
      ...stack.environment,
      BENCH_KIND: kind,
      BENCH_COUNT: String(count),
      BENCH_PROJECTS: JSON.stringify(projects),
      BENCH_EMPTY_PROVIDER: join(stack.folder, 'empty.js'),
      // The account's limit would hold back a service that takes no time; its own figure shows that it is kept.
      POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: '1000000',
    };
    const seconds = { up: 0, preview: 0, refresh: 0, destroy: 0 };
    const requests = { ...seconds };
    let state: StateBytes = { ours: 0, whole: 0 };
    const hostMb = await measureHostMemory(String(stack.environment.PULUMI_HOME), async () => {
      for (const step of stepNames) {
        const result = await measure(emulator, () => stack.run(...steps[step]));
        seconds[step] = result.ms / 1000;
        requests[step] = result.requests;
        if (step === 'up') state = await stateBytes(stack.backend);
      }
    });
    return { seconds, requests, hostMb, state };
  } finally {
    await close();
  }
}

interface StateBytes {
  /** Inputs and outputs: what the provider puts there. */
  readonly ours: number;
  /** With what the engine adds to each resource: URNs, dependencies, times, and a trace of where it was declared. */
  readonly whole: number;
}

/** What one endpoint takes in the state file, without its indentation. */
async function stateBytes(backend: string): Promise<StateBytes> {
  const file = join(backend, '.pulumi', 'stacks', 'bench', 'test.json');
  const { checkpoint } = JSON.parse(await readFile(file, 'utf8')) as {
    checkpoint: { latest: { resources: { type: string; inputs?: object; outputs?: object }[] } };
  };
  const endpoints = checkpoint.latest.resources.filter(({ type }) => type.endsWith(':ComputeEndpoint'));
  const bytesOf = (of: keyof StateBytes) =>
    mean(
      endpoints.map(
        (endpoint) => JSON.stringify(of === 'whole' ? endpoint : [endpoint.inputs, endpoint.outputs]).length,
      ),
    );
  return { ours: bytesOf('ours'), whole: bytesOf('whole') };
}
