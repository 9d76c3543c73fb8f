import { isEqual } from 'lodash';
import { isBranchUrn, type Stack } from '../engine/stack';
import type { Round } from '../scenario/scenario';
import type { World } from './world';

export async function refresh(world: World, stack: Stack, isCutOff: boolean): Promise<void> {
  noteGivenAway(world, stack, isCutOff);
  await world.run(stack, { command: 'refresh' });
}

/** Checks that a refresh changes in state only what was changed at the service. */
export async function refreshUndrifted(
  world: World,
  round: Round,
  stack: Stack,
  isCutOff: boolean,
): Promise<void> {
  const before = [...stack.state.resources];
  await refresh(world, stack, isCutOff);
  if (isCutOff || round.disturbances.length > 0 || world.lagMs > 0) return;
  for (const { id, outputs } of stack.state.resources) {
    // In a replacement that took over its own endpoint, two have the same id.
    const earlier = before.filter((each) => each.id === id).map((each) => each.outputs.values);
    world.book.check(
      'a refresh finds only drift',
      earlier.length === 0 || earlier.some((values) => isEqual(values, outputs.values)),
      () => `${id} changed from ${JSON.stringify(earlier)} to ${JSON.stringify(outputs.values)}`,
    );
  }
}

/** The argument whose value each kind of secret text is. */
const secretArguments = { name: 'name', setting: 'pgSettings', trigger: 'restartTriggers' };
const secretsOfBranch = { branch: 'name' };

/**
 * A refresh knows only the state. If the run was killed after the service had stored a secret, the state does not mark
 * the value as a secret, so the refresh stores it in plain text. The same holds for the old copy of an endpoint that a failed
 * replacement keeps.
 */
export function noteGivenAway(world: World, stack: Stack, isCutOff: boolean): void {
  const { ground, watch } = world;
  const { resources } = stack.state;
  for (const { id, urn, inputs, outputs } of resources) {
    if (!isCutOff && resources.filter((other) => other.id === id).length === 1) continue;
    for (const [what, argument] of Object.entries(isBranchUrn(urn) ? secretsOfBranch : secretArguments)) {
      if ([...inputs.secretNames, ...outputs.secretNames].includes(argument)) continue;
      const isUnmarked = (canary: string) => canary.includes(`-${what}-${world.slotOfUrn(urn)}-`);
      for (const canary of ground.texts.canaries.filter(isUnmarked)) watch.secrets.giveAway(canary);
    }
  }
}
