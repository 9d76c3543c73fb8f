import { disruptionsOf, type SlotBefore, slotName } from './declared-slot';
import type { Disturbance } from './disturb';
import { declaredSlots } from './program';
import type { Round } from './scenario';
import type { Trial } from './trial';

interface Before extends SlotBefore {
  readonly isActive: boolean;
}

/** The endpoints before a round, by slot, for comparison with the counts after it. */
export type Baseline = ReadonlyMap<number, Before>;

export async function takeBaseline(trial: Trial, earlier: Round | undefined): Promise<Baseline> {
  const { ground, emulator } = trial;
  const endpoints = ground.own();
  const baseline = new Map<number, Before>();
  for (const [slot, id] of await trial.readIds()) {
    const plan = earlier?.slots[slot];
    const endpoint = endpoints.find((own) => own.id === id);
    if (!plan || !endpoint) continue;
    const counts = { restarts: emulator.restarts(id), drops: emulator.connectionDrops(id) };
    baseline.set(slot, { id, plan, ...counts, isActive: endpoint.current_state === 'active' });
  }
  return baseline;
}

/**
 * Checks that connections drop once for each declared change that requires it, and once for changes applied together.
 * - A new endpoint has no restarts, even if its create failed or was interrupted.
 * - Without faults and interruptions, an active compute has exactly the declared drops.
 * - Otherwise it has at most one drop for each change. Only a kill during a restart by `restartTriggers` adds one: the
 *   service does not know about triggers, so the next run can't tell that the restart already happened.
 */
export async function checkRestarts(
  trial: Trial,
  round: Round,
  { wasCutOff, faults }: Disturbance,
  baseline: Baseline,
): Promise<void> {
  const { emulator, ground } = trial;
  const ids = await trial.readIds();
  const own = ground.own();
  const wasKilled = wasCutOff && round.interruption.kind.startsWith('kill');
  for (const { slot, plan } of declaredSlots(round)) {
    const id = ids.get(slot);
    const endpoint = own.find((candidate) => candidate.id === id);
    // Reported by another check.
    if (id === undefined || !endpoint) continue;
    const before = baseline.get(slot);
    const isSame = before?.id === id;
    const drops = emulator.connectionDrops(id) - (isSame ? before.drops : 0);
    const restarts = emulator.restarts(id) - (isSame ? before.restarts : 0);
    const change = isSame ? disruptionsOf(before.plan, plan) : { size: 0, trigger: 0, move: 0 };
    const declared = change.size + change.trigger + change.move;
    const most = declared + (wasKilled ? change.trigger : 0);
    const counts = `declared ${JSON.stringify(change)}, ${restarts} restarts, ${drops} drops of ${id}`;
    if (restarts > change.size || drops > most)
      trial.violate(`${slotName(slot)}: too many restarts or drops: ${counts}`);
    const isForced = round.forced.some((force) => force.slot === slot || force.follower?.slot === slot);
    if (isSame && !isForced && !wasCutOff && faults === 0) {
      const exactly = before.isActive ? Math.min(1, declared) : 0;
      if (drops !== exactly) trial.violate(`${slotName(slot)}: expected ${exactly} drops: ${counts}`);
    }
    const isUp = endpoint.current_state === 'active';
    const staysUp = isSame ? before.isActive && change.move === 0 && !wasKilled : true;
    if (staysUp && !isUp)
      trial.violate(`${slotName(slot)}: ${id} is ${endpoint.current_state}, expected active: ${counts}`);
  }
}
