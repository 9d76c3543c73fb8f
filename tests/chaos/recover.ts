import { checkSuccess } from './checks';
import { countFaults, type Disturbance } from './disturb';
import { declare, declaredSlots } from './program';
import type { Round } from './scenario';
import type { Trial } from './trial';

const adoptAdvice = 'adopt: true takes it over';
const renameAdvice = 'Choose another name';
const refreshAdvice = 'run `pulumi up --refresh`';
/** Each repetition follows the advice of at most one error per slot, and the engine may report one error at a time. */
const mostRuns = 5;

/**
 * Does what a user does after an interrupted or failed run: one `pulumi up`. The contract allows a repetition for four
 * reasons only:
 * - A create was killed right after the rename to the declared name: the error advises `adopt: true`.
 * - An endpoint of another client has the declared name: the error advises another name.
 * - A replacement was killed, or its delete failed, and the old endpoint was deleted all the same: the error advises a
 *   refresh.
 * - `waitForOperations: false`: the run records its unfinished operations, and the next run resumes them.
 */
export async function recover(trial: Trial, round: Round, disturbance: Disturbance): Promise<void> {
  if (await trial.isLocked()) await trial.run('cancel', '--yes');
  if (round.refreshesBetween) await trial.run('refresh', '--yes');
  const lateReads = round.lateReads.map((fault) => trial.emulator.inject(fault));
  for (let run = 1; ; run += 1) {
    const startedAt = Date.now();
    const { exitCode, screen } = await trial.run('up', '--yes', '--skip-preview');
    if (exitCode === 0) {
      checkSuccess(trial, round, startedAt);
      break;
    }
    const hasFollowed = await followAdvice(trial, round, disturbance, screen);
    if (hasFollowed && run < mostRuns) {
      await declare(trial.stack, trial.ground, round, trial.scenario.timeoutSeconds);
      continue;
    }
    trial.violate(`\`up\` without faults failed:\n${screen}`);
    break;
  }
  for (const fault of lateReads) fault.clear();
  countFaults(trial, lateReads);
  if (declaredSlots(round).every(({ plan }) => plan.isWaiting)) return;
  await trial.ground.settle();
  const { exitCode, screen } = await trial.run('up', '--yes', '--skip-preview');
  if (exitCode !== 0) trial.violate(`\`up\` after unfinished operations failed:\n${screen}`);
}

/** Follows the advice of the errors. Returns whether the contract allows every one of them. */
async function followAdvice(
  trial: Trial,
  round: Round,
  { wasCutOff }: Disturbance,
  screen: string,
): Promise<boolean> {
  const { ground, report } = trial;
  const failures = failuresBySlot(screen);
  for (const { slot, text } of failures) {
    const plan = round.slots[slot];
    if (text.includes(refreshAdvice) && (await wasDeleted(trial, slot))) {
      // Of this resource only: a refresh has no program that would say which arguments are secrets.
      await trial.run('refresh', '--yes', '--target', trial.urnOf(slot));
      report.refreshes += 1;
      continue;
    }
    if (!plan?.name) return false;
    const isTaken = ground.isTaken(slot, plan);
    if (text.includes(adoptAdvice) && wasCutOff && !isTaken && !ground.adopted.has(slot)) {
      ground.adopted.add(slot);
      report.adoptions += 1;
    } else if (text.includes(renameAdvice) && isTaken) {
      ground.texts.avoidName(slot, plan.project, plan.name);
      report.renames += 1;
    } else return false;
  }
  return failures.length > 0;
}

/** Whether the provider has deleted the endpoint that the state holds of a slot. */
async function wasDeleted(trial: Trial, slot: number): Promise<boolean> {
  const id = (await trial.readIds()).get(slot);
  const { emulator } = trial;
  const isGone = !emulator.endpoints().some((endpoint) => endpoint.id === id);
  return (
    isGone && emulator.requests().some(({ method, path }) => method === 'DELETE' && path.endsWith(`/${id}`))
  );
}

/** The errors under Diagnostics. The output has no wrapped lines. */
function failuresBySlot(screen: string): { slot: number; text: string }[] {
  const [, diagnostics = ''] = screen.split('Diagnostics:');
  const parts = diagnostics.split(/^ {2}\S+ \(([^)]+)\):$/m);
  const failures: { slot: number; text: string }[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    const slot = /^slot-(\d)$/.exec(parts[index] ?? '')?.[1];
    const text = parts[index + 1] ?? '';
    if (slot !== undefined && text.includes('error:')) failures.push({ slot: Number(slot), text });
  }
  return failures;
}
