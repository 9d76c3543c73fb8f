import type { Operation } from '../control-api/wire-types';
import { evolve } from './evolve';
import { findStarted } from './find-started';
import { findSuspensionReasons, isSuspension, namesAt, timeOf } from './ledger';
import {
  asksForRestart,
  type Event,
  type Item,
  isStopped,
  type Rules,
  type Situation,
  type Step,
} from './situation';
import { awaited, decide, namesToSend } from './table';

/** A step to come. */
export interface PlannedStep {
  readonly step: Step;
  /** The arguments that it sends. */
  readonly names: readonly string[];
  /** Whether it takes an active compute down. */
  readonly drops: boolean;
}

/** Of these arguments, those that the resource does not have as the program gives them. */
type FindDrift = (names: readonly string[]) => readonly string[];

/** A plan that needs more steps goes in circles. */
const mostSteps = 50;

/**
 * The steps of a run on the situation, by the same two functions, at a service that does at once what it is asked.
 * @param situation with the resource as it is now
 * @param listed the operations since the time up to which the state accounts for them, newest first
 */
export function plan(
  situation: Situation & { readonly item: Item },
  rules: Rules,
  findDrift: FindDrift,
  listed: readonly Operation[],
): PlannedStep[] {
  const steps: PlannedStep[] = [];
  let current = situation;
  for (;;) {
    const step = decide(current);
    if (step === 'done' || step === 'fail') return steps;
    if (steps.length === mostSteps) throw new Error(`the plan does not end: it repeats ${step}.`);
    const { event, drops } = respond(step, current, rules, findDrift, listed);
    steps.push({ step, names: 'names' in event ? event.names : [], drops });
    // After it, the compute is down until something starts it.
    const item = drops ? { ...current.item, current_state: 'idle' } : current.item;
    current = { ...evolve({ ...current, item }, event, rules), item };
  }
}

/** Whether a run on the situation may take the compute down: only then is the live state worth a request. */
export function mayDrop(situation: Situation, rules: Rules): boolean {
  const { ledger, inputs } = situation;
  if (findSuspensionReasons(ledger, isStopped(situation)).length > 0 || asksForRestart(situation))
    return true;
  const effects = rules.effectsOf(namesAt(ledger, 'asked', 'due'), inputs);
  return effects.some((effect) => effect !== 'config');
}

interface Response {
  readonly event: Event;
  readonly drops: boolean;
}

/** What the service does at once. */
function respond(
  step: Exclude<Step, 'done' | 'fail'>,
  situation: Situation & { readonly item: Item },
  rules: Rules,
  findDrift: FindDrift,
  listed: readonly Operation[],
): Response {
  const { item } = situation;
  switch (step) {
    case 'wait': {
      const operations = awaited(situation).map((each) => ({ ...each, status: 'finished' }));
      return { event: { kind: 'waited', awaited: operations, operations }, drops: false };
    }
    case 'observe':
      return { event: { kind: 'observed', listed }, drops: false };
    case 'trace':
      return { event: { kind: 'traced', found: findStarted(situation, listed, rules) }, drops: false };
    case 'send':
    case 'rename': {
      const names = step === 'rename' ? ['name'] : namesToSend(situation, rules);
      const actions = actionsOf(item, rules.effectsOf(findDrift(names), situation.inputs));
      const started = actions.map((action) => ideal(action, situation));
      return {
        event: { kind: 'accepted', names, started, isRepeated: false },
        drops: started.some(isSuspension),
      };
    }
    case 'suspend':
    case 'start': {
      const drops = step === 'suspend' && isUp(item);
      const isEffective = step === 'start' || drops;
      const found = isEffective ? [ideal(`${step}_compute`, situation)] : [];
      return {
        event: { kind: 'controlled', verb: step, found, isOwn: true, isUnderWay: isEffective },
        drops,
      };
    }
    case 'read back':
      return { event: { kind: 'read back', item, drift: [] }, drops: false };
  }
}

/** What the service starts for a change with these effects. */
function actionsOf(item: Item, effects: readonly string[]): string[] {
  const goesDown = isUp(item) && (effects.includes('move') || effects.includes('stop'));
  const restarts = isUp(item) && !goesDown && effects.includes('restart');
  return [
    ...(effects.includes('config') ? ['apply_config'] : []),
    ...(goesDown || restarts ? ['suspend_compute'] : []),
    ...(restarts ? ['start_compute'] : []),
  ];
}

/** A compute that is starting will be active when the change arrives. One whose stop has failed is active although it is disabled. */
export function isUp({ current_state: state, pending_state: next = state, disabled }: Item): boolean {
  return disabled ? state === 'active' && next === 'active' : state === 'active' || next === 'active';
}

/** Newer than all that is known. */
function ideal(action: string, { own, ledger }: Situation): Operation {
  const newestAt = Math.max(ledger.since, ...[...own, ...ledger.operations].map(timeOf));
  const created_at = new Date(newestAt + 1).toISOString();
  const counts = { failures_count: 0, created_at, updated_at: created_at };
  return { id: `${action} ${own.length}`, action, status: 'running', project_id: '', ...counts };
}
