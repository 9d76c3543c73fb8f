import { setTimeout as sleep } from 'node:timers/promises';
import { isMatch } from 'lodash';
import { noMishap } from '../engine/simulated-run';
import type { DeclaredResource } from '../engine/stack';
import type { NamedStep } from './draw-named-schedule';
import { type NamedParts, NamedWorld } from './named-world';

/** The most runs until the program and the service agree. */
const mostRuns = 6;
const finalStatuses = ['finished', 'skipped', 'failed', 'error', 'cancelled'];

/** Runs every step. One whose preview refuses it is left out; one that fails is repeated, or else taken back. */
export async function runNamedSteps(parts: NamedParts): Promise<void> {
  const world = new NamedWorld(parts);
  let before: NamedStep | undefined;
  try {
    for (const step of parts.schedule.steps) {
      world.journal.count('steps of users');
      before = (await runStep(world, step, before)) ? step : before;
      if (world.book.isBroken) return;
    }
  } finally {
    world.service.stop();
  }
}

/** Returns whether the step is applied. */
async function runStep(world: NamedWorld, step: NamedStep, before: NamedStep | undefined): Promise<boolean> {
  world.texts.length = 0;
  world.advised.clear();
  const program = world.declare(step);
  const preview = await world.run(program, { ...step, isPreview: true, mishap: noMishap });
  if (!preview.isSuccess) {
    world.journal.count('refused previews');
    return false;
  }
  const faults = step.faults.map((fault) => world.service.controls.inject(fault));
  const { isSuccess, isCutOff } = await watch(world, program, preview.steps, step);
  for (const fault of faults) fault.clear();
  await calm(world);
  if (isSuccess && !isCutOff) {
    check(world, program, step.faults.length === 0 && !step.refreshes);
    await checkPreview(world, program);
    return true;
  }
  if (await repeat(world, step)) return true;
  world.journal.count('reverted steps');
  const isHealed = before === undefined || world.book.isBroken || (await repeat(world, before));
  if (!world.book.isBroken) world.book.check('reverting heals', isHealed, () => JSON.stringify(world.texts));
  return false;
}

/** Runs it, and checks that no database goes of which no preview has said so. */
async function watch(
  world: NamedWorld,
  program: readonly DeclaredResource[],
  foreseen: readonly string[],
  options: Parameters<NamedWorld['run']>[1] & Partial<Pick<NamedStep, 'faults'>>,
) {
  // A branch whose creation has failed has no data yet.
  const databases = () =>
    world.branches.flatMap(({ wire, databases: all }) =>
      wire.current_state === 'init' ? [] : all.map((each) => ({ ...each })),
    );
  const [held, { resources }] = [databases(), world.stack.state];
  const result = await world.run(program, options);
  await calm(world);
  // A branch that can't be replaced keeps what was to go with it.
  const isHalfDone = (branchId: string) =>
    options.forces === true &&
    options.faults?.length === 0 &&
    !result.isSuccess &&
    !result.isCutOff &&
    world.branches.some(({ wire }) => wire.id === branchId);
  const left = new Set(databases().map(({ id }) => id));
  for (const { id, name, branch_id } of held) {
    const stored =
      resources.find(({ outputs }) => outputs.values.__number === id) ??
      resources.find(({ outputs: { values } }) => isMatch(values, { branchId: branch_id, name }));
    const isDropped =
      !program.some(({ urn }) => urn === stored?.urn) && foreseen.includes(`delete ${stored?.urn}`);
    const isNamed = world.texts.some(({ urn, text }) =>
      urn === stored?.urn
        ? /deletes database .* with its data/.test(text)
        : text.includes(branch_id) &&
          /resets branch .*deletes the data|deletes the data of branch|first deletes that branch, with its data/.test(
            text,
          ),
    );
    world.book.check(
      'nothing is deleted unnamed',
      left.has(id) || isDropped || (isNamed && !isHalfDone(branch_id)),
      () => `${name} (${id})`,
    );
  }
  return result;
}

/** Runs it as the errors advise, until it is applied. Returns whether it is. */
async function repeat(world: NamedWorld, step: NamedStep): Promise<boolean> {
  for (let runs = 1; runs <= mostRuns; runs += 1) {
    const program = world.declare(step);
    const preview = await world.run(program, { isPreview: true, refreshes: true });
    const result = preview.isSuccess
      ? await watch(world, program, preview.steps, { refreshes: true })
      : preview;
    if (world.book.isBroken) return false;
    if (result.isSuccess) {
      check(world, program, false);
      await checkPreview(world, program);
      return !world.book.isBroken;
    }
    const advised = result.failures.filter((failure) => follow(world, failure));
    if (advised.length === 0 && !preview.isSuccess) return false;
  }
  return false;
}

/** Returns whether the error advises an argument that the user has not given because of it before. */
function follow(
  { advised }: NamedWorld,
  { urn, message }: { readonly urn: string; readonly message: string },
) {
  const [, argument] = /(adopt|allowDataLoss): true/.exec(message) ?? [];
  const given = advised.get(urn) ?? {};
  if (argument === undefined || argument in given) return false;
  advised.set(urn, { ...given, [argument]: true });
  return true;
}

/** Checks that the state and the service have what the program declares. @param knowsPasswords whether nothing went wrong */
function check(world: NamedWorld, program: readonly DeclaredResource[], knowsPasswords: boolean): void {
  const { resources } = world.stack.state;
  const problems = program.flatMap(({ urn, inputs }) => {
    const found = resources.filter((each) => each.urn === urn);
    const [stored] = found;
    if (!stored || found.length > 1) return [`the state has ${urn} ${found.length} times`];
    const { name, ownerName, branchId, password } = stored.outputs.values;
    const branch = world.branches.find(({ wire }) => wire.id === (branchId ?? stored.id));
    if (!branch) return [`the service lacks the branch of ${urn}`];
    if (branchId === undefined)
      return branch.wire.name === 'data' ? [] : [`${urn} is called ${branch.wire.name}`];
    const role = branch.roles.find((each) => each.name === name);
    const database = branch.databases.find((each) => each.name === name);
    const isThere = urn.includes(':Role::')
      ? role !== undefined && (!knowsPasswords || role.password === password)
      : database?.owner_name === ownerName && ownerName === inputs.values.ownerName;
    return isThere && name === inputs.values.name
      ? []
      : [`${urn}: the service has ${JSON.stringify(role ?? database)}`];
  });
  const ids = resources.map(({ id, outputs }) => outputs.values.__number ?? id);
  if (new Set(ids).size < ids.length) problems.push(`two resources have one id: ${ids}`);
  world.book.check('one for each resource', problems.length === 0, () => problems.join('; '));
}

async function checkPreview(world: NamedWorld, program: readonly DeclaredResource[]): Promise<void> {
  if (world.book.isBroken) return;
  const { isSuccess, steps, failures } = await world.run(program, { isPreview: true });
  const isEmpty = isSuccess && steps.length === 0;
  world.book.check('the next preview is empty', isEmpty, () => `${steps} ${JSON.stringify(failures)}`);
}

/** Until nothing is under way. */
async function calm({ service, projectId }: NamedWorld): Promise<void> {
  await sleep(1_000);
  while (service.controls.operations(projectId).some(({ status }) => !finalStatuses.includes(status)))
    await sleep(20);
}
