import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEqual } from 'lodash';
import { findDifference, findForeignChanges, slotName } from './declared-slot';
import { declaredSlots } from './program';
import type { Round } from './scenario';
import type { Trial } from './trial';

/** Checks that the service and the state have one endpoint for each declared slot, as declared, and no others. */
export async function checkEndpoints(trial: Trial, round: Round): Promise<void> {
  const isNormalized = trial.scenario.service.normalizeSettings === true;
  const own = trial.ground.own();
  const declared = declaredSlots(round);
  if (own.length !== declared.length)
    trial.violate(`the service has ${own.length} endpoints, the program declares ${declared.length}`);
  const state = await trial.readState();
  const inState = state.map(({ id }) => id).sort();
  const held = own.map(({ id }) => id).sort();
  if (!isEqual(inState, held))
    trial.violate(`the state has ${inState.join(' ')}, the service has ${held.join(' ')}`);
  for (const { slot, plan } of declared) {
    const id = state.find(({ urn }) => urn === trial.urnOf(slot))?.id;
    const endpoint = own.find((candidate) => candidate.id === id);
    const difference = endpoint
      ? findDifference(trial.ground, slot, plan, endpoint, isNormalized)
      : 'does not exist';
    if (difference) trial.violate(`${slotName(slot)}: endpoint ${id} ${difference}`);
  }
}

/** Checks that a successful run waited for every operation that it started, and that none of them failed. */
export function checkSuccess(trial: Trial, round: Round, startedAt: number): void {
  const places = declaredSlots(round)
    .filter(({ plan }) => plan.isWaiting)
    .map(({ slot, plan }) => trial.ground.place(slot, plan).branchId);
  const waitedFor = trial.ground.own().filter(({ branch_id }) => places.includes(branch_id));
  const ids = new Set(waitedFor.map(({ id }) => id));
  for (const { id, action, status, endpoint_id = '', created_at } of trial.ground.ownOperations()) {
    if (!ids.has(endpoint_id) || Date.parse(created_at) < startedAt || status === 'finished') continue;
    trial.violate(`the run succeeded, but ${action} ${id} of ${endpoint_id} is ${status}`);
  }
}

/** Checks that the endpoints of other clients are unchanged. */
export function checkForeign(trial: Trial): void {
  const { emulator, ground } = trial;
  const dropsOf = (endpointId: string) => emulator.connectionDrops(endpointId);
  for (const change of findForeignChanges(ground.foreign, emulator.endpoints(), dropsOf))
    trial.violate(change);
}

/** Checks that neither the key nor a secret of the program is in the backend's files or in any output so far. */
export async function checkSecrets(trial: Trial): Promise<void> {
  const { emulator, ground, screens, stack } = trial;
  const secrets = [emulator.apiKey, ...ground.texts.canaries];
  const spellings = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  const search = (what: string, text: string) => {
    const found = spellings.filter((secret) => text.includes(secret));
    if (found.length === 0) return;
    const at = text.indexOf(found[0] ?? '');
    trial.violate(
      `${what} contains ${found.join(', ')} in plain text: ${text.slice(Math.max(0, at - 300), at + 100)}`,
    );
  };
  for (const screen of screens.splice(0)) search('a screen', screen);
  for (const entry of await readdir(stack.backend, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    search(file.slice(stack.backend.length), await readFile(file, 'utf8'));
  }
}
