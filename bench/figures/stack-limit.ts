import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from 'postgres-control-emulator';
import type { PulumiStack } from '../../tests/support/pulumi-stack';
import { withBenchStack } from '../engine/bench-stack';
import type { Figure } from '../figure';
import { measure } from '../metered-emulator';

/** How many endpoints an update adds to the stack. */
const added = 20;

/** What the commands cost in one stack of so many endpoints, with the state in a folder and a service that takes no time. */
export async function measureStackLimit(counts: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of counts) figures.push(...(await measureStack(count)));
  return figures;
}

function measureStack(count: number): Promise<Figure[]> {
  const options = { operationMs: 0, maxEndpoints: count + 2 * added };
  return withBenchStack({ door: 'dynamic', kind: 'ours', count: 1 }, options, async (stack, emulator) => {
    await stack.run('up', '--yes', '--skip-preview');
    await addToState(stack, emulator, count);
    const run = async (total: number, ...args: string[]) => {
      stack.environment = { ...stack.environment, BENCH_COUNT: String(total) };
      return (await measure(emulator, () => stack.run(...args))).ms;
    };
    const preview = await run(count, 'preview', '--expect-no-changes');
    const refresh = await run(count, 'refresh', '--yes', '--skip-preview', '--expect-no-changes');
    // It also does what a preview does.
    const up = (await run(count + added, 'up', '--yes', '--skip-preview')) - preview;
    const unit = ' ms each';
    return [
      { name: `preview of ${count} endpoints`, value: preview / count, unit },
      { name: `refresh of ${count} endpoints`, value: refresh / count, unit },
      { name: `create in a stack of ${count} endpoints`, value: up / added, unit },
    ];
  });
}

/** Copies the only endpoint of the state until there are so many: to create them all would take hours. */
async function addToState(stack: PulumiStack, emulator: Emulator, count: number): Promise<void> {
  const { text } = await stack.exportState();
  const state = JSON.parse(text) as { deployment: { resources: { urn: string; id?: string }[] } };
  const { resources } = state.deployment;
  const [first] = resources.filter(({ urn }) => urn.endsWith('::endpoint-0'));
  const held = emulator.endpoints().find(({ id }) => id === first?.id);
  if (!held) throw new Error('the state has no endpoint');
  const projects = JSON.stringify([{ projectId: held.project_id, branchId: held.branch_id }]);
  stack.environment = { ...stack.environment, BENCH_PROJECTS: projects };
  const { id, project_id, branch_id, type, autoscaling_limit_min_cu, autoscaling_limit_max_cu } = held;
  for (let index = 1; index < count; index += 1) {
    const rename = (value: string) => value.replaceAll('endpoint-0', `endpoint-${index}`);
    const attributes = { branch_id, type, autoscaling_limit_min_cu, autoscaling_limit_max_cu };
    const copy = emulator.createEndpoint(project_id, { ...attributes, name: rename(held.name ?? '') });
    resources.push(JSON.parse(rename(JSON.stringify(first)).replaceAll(id, copy.id)));
  }
  const file = join(stack.folder, 'state.json');
  await writeFile(file, JSON.stringify(state));
  await stack.run('stack', 'import', '--file', file);
}
