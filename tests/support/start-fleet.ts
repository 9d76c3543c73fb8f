import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { dump } from 'js-yaml';
import type { Endpoint } from 'postgres-control-emulator';
import type { TestContext } from 'vitest';
import type { Fleet } from '../../examples/fleet/fleet-config';
import type { Report } from '../../examples/fleet/rollout-report';
import { repository } from './documents';
import { usePlugin } from './program-doors';
import { startExample } from './start-example';

/** A window that is always open. */
const always = { schedule: '* * * * *', durationMinutes: 2, timeZone: 'UTC' };

/** Starts stacks of examples/fleet with those names, each with an active compute in a project of its own. */
export async function startFleet(names: readonly string[], test: Pick<TestContext, 'onTestFinished'>) {
  const { stack, emulator, branch, project, heldBy } = await startExample('fleet', test);
  const file = (name: string) => join(stack.folder, name);
  await appendFile(file('Pulumi.yaml'), `plugins: ${JSON.stringify(usePlugin())}\n`);
  await stack.setConfig({ projectId: project.id, branchId: branch.id });
  await stack.run('up', '--yes', '--skip-preview');
  const [original] = heldBy(branch.id);
  if (!original) throw new Error('The first stack has no endpoint.');

  // The fleet's stacks are copies of the first one: an update of each would take most of the test's time.
  const stateOf = (name: string) => join(stack.backend, '.pulumi', 'stacks', 'fleet', `${name}.json`);
  const configOf = (name: string) => file(`Pulumi.${name}.yaml`);
  const endpoints = new Map<string, Endpoint>();
  for (const name of names) {
    const { id: projectId } = emulator.createProject({ name });
    const { id: branchId } = emulator.createBranch(projectId);
    const { name: derived = '', type, autoscaling_limit_min_cu, autoscaling_limit_max_cu } = original;
    const size = { autoscaling_limit_min_cu, autoscaling_limit_max_cu };
    const copy = emulator.createEndpoint(projectId, { branch_id: branchId, name: derived, type, ...size });
    endpoints.set(name, copy);
    const own = [
      [original.id, copy.id],
      [project.id, projectId],
      [branch.id, branchId],
      ['urn:pulumi:test::', `urn:pulumi:${name}::`],
    ] as const;
    for (const pathOf of [stateOf, configOf]) {
      const text = await readFile(pathOf('test'), 'utf8');
      const copied = own.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
      await writeFile(pathOf(name), copied);
    }
  }

  /** Writes fleet.yaml. By default, the size changes and the window is open. */
  const declare = (fleet: Partial<Fleet>) =>
    writeFile(file('fleet.yaml'), dump({ restartWindow: always, target: { maxCu: 2 }, ...fleet }));
  /** Starts the rollout in a process group of its own. It does not reject when the rollout fails. */
  const start = () =>
    execa(join(repository, 'node_modules', '.bin', 'tsx'), ['rollout.ts'], {
      cwd: stack.folder,
      env: stack.environment,
      extendEnv: false,
      detached: true,
      reject: false,
      all: true,
    });
  /** The requests that changed an endpoint of the fleet, oldest first. */
  const changes = () =>
    emulator.requests().flatMap(({ method, path, time }) => {
      const [name] = [...endpoints].find(([, { id }]) => path.endsWith(`/${id}`)) ?? [];
      return name !== undefined && method === 'PATCH' ? [{ name, time }] : [];
    });
  /** How often the compute of each stack has restarted. */
  const restarts = () =>
    Object.fromEntries([...endpoints].map(([name, { id }]) => [name, emulator.restarts(id)]));
  const readReport = async () => JSON.parse(await readFile(file('rollout.json'), 'utf8')) as Report;
  return { stack, emulator, endpoints, declare, start, changes, restarts, readReport, configOf };
}
