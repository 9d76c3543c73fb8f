import { setTimeout as sleep } from 'node:timers/promises';
import { some } from 'lodash';
import type { Program } from '../engine/agreement/agreement-scenario';
import { agreesWith, checkAgreement, checkPasswords } from './agreement-of-state';
import { checkDatabases } from './database-rules';
import { foretellsFailure } from './loss-rules';
import { mendTexts } from './mend-texts';
import { reviseStep } from './user-advice';
import type { UserStep } from './user-schedule';
import { type UserParts, type UserRun, UserWorld } from './user-world';

/** The most runs that a user needs until the program and the service agree: each follows the advice of the one before. */
const mostRuns = 5;

/** Runs every step of the user. One that fails is reverted, which ends the schedule. */
export async function runUserSteps(parts: UserParts): Promise<void> {
  const world = new UserWorld(parts);
  const { steps } = parts.schedule;
  let before: UserStep = { program: {}, command: 'up' };
  try {
    for (const step of steps) {
      world.journal.count('steps of users');
      const done = await runStep(world, step, before);
      if (!done || world.book.isBroken) return;
      before = done;
    }
  } finally {
    world.service.stop();
  }
}

/** Returns the step that is done, perhaps with another program, as an error advised; undefined if the user does not continue. */
async function runStep(world: UserWorld, wanted: UserStep, before: UserStep): Promise<UserStep | undefined> {
  const { ground, watch } = world;
  const step = { ...wanted, program: mendTexts(world, wanted.program) };
  watch.beginStep();
  for (const name of step.taint ?? []) world.stack.taint(ground.urnOf(name));
  for (const intrusion of step.intrusions ?? []) watch.intruded(intrusion);
  // `pulumi up` itself begins with a preview, and stops if that fails.
  const preview = step.skipsPreview ? undefined : await world.run(step, true);
  if (preview && !preview.isSuccess) return stopAfterPreview(world, before);
  for (const intrusion of step.between ?? []) watch.intruded(intrusion);
  const faults = ground.prepare({ ...step, intrusions: [] });
  const result = await world.run(step, false);
  for (const fault of faults) fault.clear();
  const { isCutOff } = result.run;
  await calm(world, result);
  const isUndisturbed = !isCutOff && [step.between, step.faults].every((each) => !each?.length);
  if (preview && isUndisturbed) checkForetold(world, preview, result);
  if (world.book.isBroken) return undefined;
  const isBroken = isCutOff || !result.isSuccess;
  if (isBroken && !step.isRepeated) {
    await revert(world, before);
    return undefined;
  }
  const { program } = step.command === 'destroy' ? { program: {} } : step;
  const isPartial = isBroken || [step.target, step.targetReplace, step.exclude].some((each) => each?.length);
  if (!isPartial && agreesWith(world, program)) {
    if (isUndisturbed && step.command === 'up') checkPasswords(world);
    await checkRest(world, program);
    return wanted;
  }
  // What `--target` and the like have left to do, or a run that broke off.
  const rest = { program, command: isBroken ? 'up --refresh' : 'up' } as const;
  const completed = await complete(world, rest);
  if (!completed && !world.book.isBroken) await revert(world, before);
  return completed;
}

/** Nothing has happened, so the user only goes back to the program before. */
async function stopAfterPreview(world: UserWorld, { program }: UserStep): Promise<undefined> {
  world.journal.count('refused previews');
  world.watch.beginStep();
  world.stack.untaint();
  const preview = await world.run({ program: mendTexts(world, program), command: 'up' }, true);
  world.book.check(
    'reverting heals',
    preview.isSuccess,
    () => `${preview.run.name} fails: ${JSON.stringify(preview.failures)}`,
  );
  return undefined;
}

/** Goes back to the program before, until it is applied. */
async function revert(world: UserWorld, { program }: UserStep): Promise<void> {
  world.journal.count('reverted steps');
  world.stack.untaint();
  const completed = await complete(world, { program, command: 'up --refresh' });
  if (!world.book.isBroken)
    world.book.check('reverting heals', completed !== undefined, () => JSON.stringify(world.lastFailures));
}

/** Runs the program until it is applied, as the errors advise, and checks that nothing else is left. Returns the step that succeeded. */
async function complete(world: UserWorld, wanted: UserStep): Promise<UserStep | undefined> {
  let step: UserStep | undefined = wanted;
  for (let runs = 1; step && runs <= mostRuns; runs += 1) {
    await world.ground.calm([]);
    step = { ...step, program: mendTexts(world, step.program) };
    world.watch.beginStep();
    const preview = await world.run(step, true);
    const result = preview.isSuccess ? await world.run(step, false) : preview;
    await calm(world, result);
    if (preview.isSuccess) checkForetold(world, preview, result);
    if (world.book.isBroken) return undefined;
    if (result.isSuccess && step.target) {
      const { target: _done, ...rest } = step;
      step = rest;
      continue;
    }
    if (result.isSuccess) {
      await checkRest(world, step.program);
      return step;
    }
    world.lastFailures = result.failures;
    step = reviseStep(world, step, result.failures);
  }
  return undefined;
}

/** Until what the run has started has ended: what a dead process has sent may arrive later. */
async function calm(world: UserWorld, result: UserRun): Promise<void> {
  if (result.run.isCutOff) await sleep(world.schedule.longestDelayMs);
  await world.ground.calm([]);
  checkDatabases(world, result);
}

/** Checks that program, state and service agree, and that the next preview has nothing to do. */
async function checkRest(world: UserWorld, program: Program): Promise<void> {
  for (const id of world.watch.reportedDuplicates) world.deleteDuplicate(id);
  checkAgreement(world, program);
  if (world.book.isBroken) return;
  const preview = await world.run({ program, command: 'up' }, true);
  world.book.check(
    'the next preview is empty',
    preview.isSuccess && preview.steps.length === 0,
    () => `${preview.steps} ${JSON.stringify(preview.failures)}`,
  );
}

/**
 * Checks that the preview has said of each failure that it may come. An operation may fail at any time. About a delete, the engine asks
 * the provider nothing in a preview, so `up` or the service may refuse one. And when the preview judges a resource, it does not know those
 * that come later in the program.
 */
function checkForetold(world: UserWorld, preview: UserRun, result: UserRun): void {
  const { texts, step, state } = world.watch.record(preview.run);
  // The engine does not tell which id a forced replacement replaces.
  const isForcedNow =
    step.replace?.length || step.targetReplace?.length || state.some(({ isTainted }) => isTainted);
  for (const { urn, message } of result.failures) {
    // Or that one was killed, and this run finishes it.
    const isPending = state.some((each) => each.urn === urn && each.isPendingReplacement);
    const isForced = isForcedNow || isPending;
    const [, projectId, missing] = /project (\S+): branch (\S+) does not exist/.exec(message) ?? [];
    const made = world.held().branches.find(({ id }) => id === missing && !some(state, { id }));
    // Of a branch that the run creates or takes over, the preview does not know the id, and so not that it is in another project.
    const isMadeElsewhere = made !== undefined && made.project_id !== projectId;
    const isUnasked =
      isMadeElsewhere ||
      /^delete of |^DELETE |until this update|has failed to replace|operation \S+ \S+ failed/.test(message) ||
      (isPending && /allowRestart is false/.test(message)) ||
      (isForced &&
        /bound to fail|is not the id of a branch of project|branch \S+ (does not exist|already has)|that branch already has|branchId is that of|a branch that this run has deleted|branch already exists/.test(
          message,
        ));
    const isForetold = texts.some(
      ({ text, ...each }) => each.urn === urn && (foretellsFailure(text) || text.includes(message)),
    );
    world.book.check(
      'a preview foretells what can not be done',
      isUnasked || isForetold,
      () => `${result.run.name}: ${urn} ${message}`,
    );
  }
}
