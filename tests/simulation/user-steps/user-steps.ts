import { agreesWith, checkAgreement } from './agreement-of-state';
import { followAdvice } from './follow-advice';
import { foretellsFailure } from './loss-rules';
import type { UserStep } from './user-schedule';
import { type UserParts, type UserRun, UserWorld } from './user-world';

/** The most runs that a user needs until the program and the service agree: each follows the advice of the one before. */
const mostRuns = 5;

/** Runs every step of the user. One that fails is taken back, which ends the schedule. */
export async function runUserSteps(parts: UserParts): Promise<void> {
  const world = new UserWorld(parts);
  const { steps } = parts.schedule;
  let before: UserStep = { program: {}, command: 'up' };
  try {
    for (const step of steps) {
      world.journal.count('steps of users');
      const isDone = await runStep(world, step, before);
      if (!isDone || world.hasViolated) return;
      before = step;
    }
  } finally {
    world.service.stop();
  }
}

/** Returns whether the step is done, and the user goes on to the next one. */
async function runStep(world: UserWorld, step: UserStep, before: UserStep): Promise<boolean> {
  const { ground, watch } = world;
  watch.beginStep();
  for (const name of step.taint ?? []) world.stack.taint(ground.urnOf(name));
  for (const intrusion of step.intrusions ?? []) ground.intrude(intrusion);
  // `pulumi up` itself begins with a preview, and stops if that fails.
  const preview = step.skipsPreview ? undefined : await world.run(step, true);
  if (preview && !preview.isSuccess) return stopAfterPreview(world, before);
  for (const intrusion of step.between ?? []) watch.intruded(intrusion);
  const faults = ground.prepare({ ...step, intrusions: [] });
  const runs = await Promise.all(
    (step.isRunTwice ? [step, step] : [step]).map((each) => world.run(each, false)),
  );
  await ground.calm(faults);
  const isUndisturbed = !step.isRunTwice && [step.between, step.faults].every((each) => !each?.length);
  for (const result of runs) if (preview && isUndisturbed) checkForetold(world, preview, result);
  if (world.hasViolated) return false;
  const hasFailed = runs.some(({ isSuccess }) => !isSuccess);
  if (hasFailed && !step.isRunTwice) {
    world.journal.count('reverted steps');
    await complete(world, { program: before.program, command: 'up --refresh' }, runs);
    return false;
  }
  // What `--target` and the like have left to do.
  const isPartial =
    step.isRunTwice || [step.target, step.targetReplace, step.exclude].some((each) => each?.length);
  const isWhole = agreesWith(world, step.command === 'destroy' ? {} : step.program);
  if (isPartial || !isWhole)
    await complete(world, { program: step.program, command: step.isRunTwice ? 'up --refresh' : 'up' }, []);
  else await checkRest(world, step);
  return true;
}

/** Nothing has happened, so the user only goes back to the program before. */
async function stopAfterPreview(world: UserWorld, before: UserStep): Promise<boolean> {
  world.journal.count('refused previews');
  world.watch.beginStep();
  const preview = await world.run({ program: before.program, command: 'up' }, true);
  if (!preview.isSuccess)
    world.violate('reverting heals', `${preview.run.name} fails: ${JSON.stringify(preview.failures)}`);
  return false;
}

/** Runs the program until it is applied, as the errors advise, and checks that nothing else is left. */
async function complete(world: UserWorld, wanted: UserStep, results: readonly UserRun[]): Promise<void> {
  let step = wanted;
  let failures = results.flatMap((each) => each.failures);
  for (let runs = 1; runs <= mostRuns; runs += 1) {
    world.watch.beginStep();
    const preview = await world.run(step, true);
    const result = preview.isSuccess ? await world.run(step, false) : preview;
    await world.ground.calm([]);
    if (world.hasViolated) return;
    if (result.isSuccess) return checkRest(world, step);
    failures = [...result.failures];
    const next = followAdvice(world, step, failures);
    if (!next) break;
    step = next;
  }
  world.violate('reverting heals', `${step.command} of the program failed: ${JSON.stringify(failures)}`);
}

/** Checks that program, state and service agree, and that the next preview has nothing to do. */
async function checkRest(world: UserWorld, step: UserStep): Promise<void> {
  const program = step.command === 'destroy' ? {} : step.program;
  checkAgreement(world, program);
  if (world.hasViolated) return;
  const preview = await world.run({ program, command: 'up' }, true);
  if (!preview.isSuccess || preview.steps.length > 0)
    world.violate('the next preview is empty', `${preview.steps} ${JSON.stringify(preview.failures)}`);
}

/**
 * Checks that the preview has said of each failure that it may come. About a delete, the engine asks the provider nothing in a preview,
 * so `up` may refuse one.
 */
function checkForetold(world: UserWorld, preview: UserRun, result: UserRun): void {
  const { texts } = world.watch.record(preview.run);
  for (const { urn, message } of result.failures) {
    const isDelete = /^delete of /.test(message);
    const isForetold = texts.some(
      ({ text, ...each }) => each.urn === urn && (foretellsFailure(text) || text.includes(message)),
    );
    if (!isDelete && !isForetold)
      world.violate('a preview foretells what can not be done', `${result.run.name}: ${urn} ${message}`);
  }
}
