import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEqual, isMatch, omit } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import { declaredSlots, slotName } from './program';
import type { Round } from './scenario';
import type { SlotPlan } from './slot-plan';
import type { Trial } from './trial';

/** Checks that the service and the state have one endpoint for each declared slot, as declared, and no others. */
export async function checkEndpoints(trial: Trial, round: Round): Promise<void> {
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
    const difference = endpoint ? findDifference(trial, slot, plan, endpoint) : 'does not exist';
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

/** Attributes that the service changes by itself: it suspends an idle compute after five minutes. */
const ownChanges = ['current_state', 'pending_state', 'updated_at', 'suspended_at'];

/** Checks that the endpoints of other clients are unchanged. */
export function checkForeign(trial: Trial): void {
  const { emulator, ground } = trial;
  const endpoints = new Map(emulator.endpoints().map((endpoint) => [endpoint.id, endpoint]));
  for (const before of ground.foreign) {
    const now = endpoints.get(before.id);
    if (!isEqual(omit(now, ownChanges), omit(before, ownChanges)))
      trial.violate(
        `${before.id} of another client changed from ${JSON.stringify(before)} to ${JSON.stringify(now)}`,
      );
    if (emulator.connectionDrops(before.id) > 0)
      trial.violate(`${before.id} of another client lost connections`);
  }
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

function findDifference(
  { ground, scenario }: Trial,
  slot: number,
  plan: SlotPlan,
  held: Endpoint,
): string | undefined {
  const { projectId, branchId } = ground.place(slot, plan);
  const declared = {
    project_id: projectId,
    branch_id: branchId,
    type: plan.type,
    autoscaling_limit_min_cu: plan.size[0],
    autoscaling_limit_max_cu: plan.size[1],
    suspend_timeout_seconds: plan.suspendTimeoutSeconds,
    ...(plan.name && { name: ground.texts.name(slot, plan.project, plan.name) }),
  };
  if (!isMatch(held, declared))
    return `differs from its declaration: ${JSON.stringify(omit(held, 'settings'))}, declared ${JSON.stringify(declared)}`;
  const settings = ground.texts.settings(slot, plan);
  const expected = scenario.service.normalizeSettings ? normalize(settings) : settings;
  const actual = omit(held.settings.pg_settings, 'log_timezone');
  if (isEqual(actual, expected)) return undefined;
  return `has the settings ${JSON.stringify(actual)}, declared ${JSON.stringify(expected)}`;
}

/** The settings as the emulator reports them with `normalizeSettings`. */
function normalize({ work_mem, ...settings }: Record<string, string>): Record<string, string> {
  return { ...settings, ...(work_mem && { work_mem: `${Number.parseInt(work_mem, 10) * 1024}kB` }) };
}
