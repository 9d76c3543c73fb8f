import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMatch } from 'lodash';
import type { Emulator } from 'postgres-control-emulator';
import { endHosts, findHosts, kill } from '../provider-hosts';
import { makeStack, type PulumiStack } from '../pulumi-stack';
import {
  type Interruption,
  projectCount,
  type Round,
  type SlotPlan,
  scenarioOf,
  slotCount,
} from './scenario';

/** What a seed went through, and what did not hold after it. */
export interface ScenarioReport {
  readonly seed: number;
  readonly violations: string[];
  faults: number;
  kills: number;
  failedRequests: number;
}

const projectFile = `name: chaos
main: index.js
runtime:
  name: nodejs
  options:
    typescript: false
`;

const program = `const { readFileSync } = require('node:fs');
const { ComputeEndpoint } = require('pulumi-postgres-compute');
const declared = JSON.parse(readFileSync(__dirname + '/endpoints.json', 'utf8'));
for (const [name, args] of Object.entries(declared)) new ComputeEndpoint(name, args);
`;

/** Long enough for every operation of the emulator, short enough that one which hangs ends the command. Seconds. */
const timeouts = { create: 6, update: 6, delete: 6 };

type Ground = ReturnType<typeof prepareGround>;

/** Runs one seed: each round under its faults and its interruption, then one `up` without; then checks. */
export async function runScenario(seed: number): Promise<ScenarioReport> {
  const report: ScenarioReport = { seed, violations: [], faults: 0, kills: 0, failedRequests: 0 };
  const fill = async (folder: string) => {
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
    await writeFile(join(folder, 'index.js'), program);
    await writeFile(join(folder, 'package.json'), '{}');
  };
  const { stack, emulator, close } = await makeStack(fill, { operationMs: 150 });
  try {
    const ground = prepareGround(emulator);
    for (const [index, round] of scenarioOf(seed).rounds.entries()) {
      await declare(stack, ground, round.slots);
      ground.countSizeChanges(round.slots);
      await disturb(stack, emulator, round, report);
      await recover(stack, emulator, round, report);
      await check(stack, emulator, ground, round.slots, (violation) => {
        report.violations.push(`seed ${seed}, round ${index + 1}: ${violation}`);
      });
    }
    report.failedRequests = emulator
      .requests()
      .filter(({ status }) => status === null || status >= 400).length;
    return report;
  } finally {
    await endHosts(stack, emulator);
    await close();
  }
}

/** Projects and branches for the slots, and endpoints of somebody else's that nobody may touch. */
function prepareGround(emulator: Emulator) {
  const projects = Array.from({ length: projectCount }, (_, index) => {
    const project = emulator.createProject({ name: `project-${index}` });
    const branches = Array.from({ length: slotCount * 2 }, (_unused, number) =>
      emulator.createBranch(project.id, { name: `branch-${number}` }),
    );
    return { id: project.id, branchIds: branches.map(({ id }) => id) };
  });
  const bystanders = emulator.endpoints();
  const sizeChanges = new Map<number, number>();
  let before: readonly SlotPlan[] = [];
  return {
    bystanders,
    place: (slot: number, { project, branch }: SlotPlan) => ({
      projectId: projects[project]?.id,
      branchId: projects[project]?.branchIds[slot * 2 + branch],
    }),
    countSizeChanges(slots: readonly SlotPlan[]) {
      for (const [slot, { size }] of slots.entries()) {
        const isChanged = before[slot] !== undefined && String(before[slot]?.size) !== String(size);
        if (isChanged) sizeChanges.set(slot, (sizeChanges.get(slot) ?? 0) + 1);
      }
      before = slots;
    },
    sizeChangesOf: (slot: number) => sizeChanges.get(slot) ?? 0,
  };
}

async function declare(stack: PulumiStack, ground: Ground, slots: readonly SlotPlan[]): Promise<void> {
  const declared = slots.flatMap((plan, slot) => {
    if (!plan.isDeclared) return [];
    const args = {
      ...ground.place(slot, plan),
      type: plan.type,
      autoscalingLimitMinCu: plan.size[0],
      autoscalingLimitMaxCu: plan.size[1],
      suspendTimeoutSeconds: plan.suspendTimeoutSeconds,
      ...(plan.workMem && { pgSettings: { work_mem: plan.workMem } }),
      timeouts,
    };
    return [[`slot-${slot}`, args]];
  });
  await writeFile(join(stack.folder, 'endpoints.json'), JSON.stringify(Object.fromEntries(declared)));
}

async function disturb(
  stack: PulumiStack,
  emulator: Emulator,
  round: Round,
  report: ScenarioReport,
): Promise<void> {
  const faults = round.faults.map((fault) => emulator.inject(fault));
  const command = stack.start('up', '--yes', '--skip-preview');
  const ended = command.then(
    () => undefined,
    () => undefined,
  );
  const timer = new AbortController();
  const due = sleep(round.interruption.afterMs, undefined, { signal: timer.signal }).then(
    () => interrupt(stack, round.interruption, command.pid, report),
    () => undefined,
  );
  await ended;
  timer.abort();
  await due;
  for (const fault of faults) {
    report.faults += fault.hits;
    fault.clear();
  }
}

async function interrupt(
  stack: PulumiStack,
  { kind }: Interruption,
  pid = 0,
  report: ScenarioReport,
): Promise<void> {
  if (kind === 'none') return;
  const [victims, signal] =
    kind === 'kill -9 of the host'
      ? [await findHosts(stack), 'SIGKILL' as const]
      : [[pid], kind === 'Ctrl-C' ? ('SIGINT' as const) : ('SIGKILL' as const)];
  report.kills += victims.filter((victim) => kill(victim, signal)).length;
}

async function recover(
  stack: PulumiStack,
  emulator: Emulator,
  round: Round,
  report: ScenarioReport,
): Promise<void> {
  // What a pipeline does after a killed run, which leaves the lock of the stack behind.
  if (await isLocked(stack)) await stack.try('cancel', '--yes');
  if (round.refreshesBetween) await stack.try('refresh', '--yes');
  const { exitCode, screen } = await stack.try('up', '--yes', '--skip-preview');
  if (exitCode !== 0) report.violations.push(`seed ${report.seed}: up without faults failed:\n${screen}`);
  await endHosts(stack, emulator);
}

async function check(
  stack: PulumiStack,
  emulator: Emulator,
  ground: Ground,
  slots: readonly SlotPlan[],
  violate: (violation: string) => void,
): Promise<void> {
  const bystanderIds = new Set(ground.bystanders.map(({ id }) => id));
  const endpoints = emulator.endpoints();
  for (const bystander of ground.bystanders) {
    if (!endpoints.some(({ id }) => id === bystander.id))
      violate(`${bystander.id} of somebody else was deleted`);
  }
  const held = endpoints.filter(({ id }) => !bystanderIds.has(id));
  const declared = slots.flatMap((plan, slot) => (plan.isDeclared ? [{ plan, slot }] : []));
  for (const { plan, slot } of declared) {
    const { projectId, branchId } = ground.place(slot, plan);
    const wanted = {
      project_id: projectId,
      branch_id: branchId,
      type: plan.type,
      autoscaling_limit_min_cu: plan.size[0],
      autoscaling_limit_max_cu: plan.size[1],
      suspend_timeout_seconds: plan.suspendTimeoutSeconds,
    };
    const matching = held.filter((endpoint) => isMatch(endpoint, wanted));
    if (matching.length !== 1) violate(`slot-${slot}: ${matching.length} endpoints are as declared, not 1`);
    for (const endpoint of matching) {
      const workMem = endpoint.settings.pg_settings?.work_mem;
      if (workMem !== plan.workMem) violate(`slot-${slot}: work_mem is ${workMem}, declared ${plan.workMem}`);
      if (emulator.restarts(endpoint.id) > ground.sizeChangesOf(slot))
        violate(`slot-${slot}: restarted too often`);
    }
  }
  if (held.length !== declared.length) violate(`${held.length} endpoints, ${declared.length} declared`);
  const inState = await readState(stack);
  const ids = (list: { id?: string }[]) =>
    list
      .map(({ id }) => id)
      .sort()
      .join(' ');
  if (ids(inState) !== ids([...held])) violate(`state holds ${ids(inState)}, the service ${ids([...held])}`);
  const preview = await stack.try('preview', '--expect-no-changes');
  if (preview.exitCode !== 0) violate(`the next preview shows changes:\n${preview.screen}`);
}

/** The endpoints in the state file itself: quicker than an export, and what a pipeline would find. */
async function readState(stack: PulumiStack): Promise<{ id?: string }[]> {
  const file = join(stack.backend, '.pulumi', 'stacks', 'chaos', 'test.json');
  const { checkpoint } = JSON.parse(await readFile(file, 'utf8')) as {
    checkpoint: { latest?: { resources?: { id?: string; type: string }[] } };
  };
  return (checkpoint.latest?.resources ?? []).filter(({ type }) => type.endsWith(':ComputeEndpoint'));
}

async function isLocked(stack: PulumiStack): Promise<boolean> {
  const locks = join(stack.backend, '.pulumi', 'locks', 'organization', 'chaos', 'test');
  return (await readdir(locks).catch(() => [])).length > 0;
}
