import type { DoorName } from '../support/program-doors';
import { endHosts, waitForHosts } from '../support/provider-hosts';
import { makeStack } from '../support/pulumi-stack';
import { checkEndpoints, checkForeign, checkSecrets, checkSuccess } from './checks';
import { slotName } from './declared-slot';
import { type Disturbance, disturb } from './disturb';
import { Ground } from './ground';
import { declare, writeProject } from './program';
import { recover } from './recover';
import { type Baseline, checkRestarts, takeBaseline } from './restart-check';
import { type Round, scenarioOf } from './scenario';
import { emptyReport, type ScenarioReport, Trial } from './trial';

/** Runs one seed: each round under its faults and its interruption, then an `up` without them, then the checks. */
export async function runScenario(
  seed: number,
  door: DoorName,
  show?: (text: string) => void,
): Promise<ScenarioReport> {
  const report = emptyReport(seed);
  const scenario = scenarioOf(seed);
  const { stack, emulator, close } = await makeStack(
    (folder) => writeProject(folder, door),
    scenario.service,
  );
  try {
    const ground = new Ground(emulator, seed, scenario);
    const trial = new Trial({ stack, emulator, ground, scenario, door, report }, show);
    let earlier: Round | undefined;
    for (const round of scenario.rounds) {
      trial.round += 1;
      await runRound(trial, round, earlier);
      earlier = round;
      // Later violations would only be consequences.
      if (report.violations.length > 0) break;
    }
    if (scenario.service.lateListsMs || scenario.service.lateGetsMs)
      report.lateReads += emulator.requests().filter(({ method }) => method === 'GET').length;
    return report;
  } finally {
    await endHosts(stack);
    await close();
  }
}

async function runRound(trial: Trial, round: Round, earlier: Round | undefined): Promise<void> {
  const { ground, report, scenario, stack } = trial;
  ground.adopted.clear();
  if (round.isAwake) await ground.wake();
  report.foreign += ground.addForeign(round, scenario);
  await declare(stack, ground, round, scenario.timeoutSeconds);
  const [before, after] = round.previews;
  const preview = await trial.run('preview', ...before);
  if (preview.exitCode !== 0) trial.violate(`the preview failed:\n${preview.screen}`);
  const baseline = await takeBaseline(trial, earlier);
  const disturbance = await disturb(trial, round);
  await checkUndisturbed(trial, round, earlier, disturbance, baseline);
  await recover(trial, round, disturbance);
  await ground.settle();
  await checkEndpoints(trial, round);
  await checkRestarts(trial, round, disturbance, baseline);
  const next = await trial.run('preview', '--expect-no-changes', ...after);
  if (next.exitCode !== 0) trial.violate(`the next preview shows changes:\n${next.screen}`);
  checkForeign(trial);
  await checkSecrets(trial);
  if ((await waitForHosts(stack)).length > 0) trial.violate('a provider host still runs after the round');
}

/** Checks that a successful run applied everything, even under faults. */
async function checkUndisturbed(
  trial: Trial,
  round: Round,
  earlier: Round | undefined,
  { exitCode, startedAt }: Disturbance,
  baseline: Baseline,
): Promise<void> {
  const plans = [...round.slots, ...(earlier?.slots ?? [])];
  if (exitCode !== 0 || plans.some(({ isWaiting }) => !isWaiting)) return;
  await checkEndpoints(trial, round);
  checkSuccess(trial, round, startedAt);
  const ids = await trial.readIds();
  for (const { slot } of round.forced) {
    if (round.slots[slot]?.createsBeforeDelete || ids.get(slot) !== baseline.get(slot)?.id) continue;
    trial.violate(`${slotName(slot)}: was not replaced: its endpoint is still ${ids.get(slot)}`);
  }
}
