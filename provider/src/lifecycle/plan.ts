import { union } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished } from '../operations/operation-outcome';
import { evolve } from './evolve';
import { findStarted } from './find-started';
import { findSuspensionReasons, isSuspension, namesAt, type Owed, reasonsAmong, timeOf } from './ledger';
import type { Flow } from './resource';
import type { Properties } from './resource-identity';
import {
  asksFor,
  type Event,
  type Item,
  isStopped,
  isUp,
  type Rules,
  type Situation,
  type Step,
} from './situation';
import { awaited, decide, namesToSend } from './table';

/** A step to come. */
export interface PlannedStep {
  readonly step: Step;
  /** The arguments that it applies. */
  readonly names: readonly string[];
  /** Why it would take an active compute down. */
  readonly reasons: readonly Owed[];
  /** Whether it takes an active compute down. */
  readonly drops: boolean;
}

type Seen<Shown extends Item> = Situation & { readonly item: Shown };

/** A plan with more steps than this is in a loop. */
const mostSteps = 50;

/**
 * The steps that a run would take from this situation: `decide` and `evolve`, with a service that finishes everything at once.
 * @param situation with the resource as it is now
 * @param listed the operations since the time up to which the state accounts for them, newest first. @default none
 */
export function plan<Shown extends Item>(
  situation: Seen<Shown>,
  flow: Flow<Properties, Shown>,
  listed: readonly Operation[] = [],
): PlannedStep[] {
  const steps: PlannedStep[] = [];
  let current = situation;
  for (;;) {
    const step = decide(current);
    if (step === 'done' || step === 'fail') return steps;
    if (steps.length === mostSteps) throw new Error(`the plan does not end: it repeats ${step}.`);
    const { event, names = [], reasons = [], drops = false } = respond(step, current, flow, listed);
    steps.push({ step, names, reasons, drops });
    // After it, the compute is down until something starts it.
    const item = drops ? { ...current.item, current_state: 'idle' } : current.item;
    current = { ...evolve({ ...current, item }, event, flow), item };
  }
}

/** Whether a run on the situation may take the compute down: only then is the live state worth a request. */
export function mayDrop(situation: Situation, rules: Rules): boolean {
  const { ledger, inputs, past } = situation;
  if (findSuspensionReasons(ledger, isStopped(situation)).length > 0 || asksFor('restartTriggers', situation))
    return true;
  // A pending change may start a compute that the program stops: it then goes down again.
  if (isStopped(situation) && past !== 'closed') return true;
  const effects = rules.effectsOf(namesAt(ledger, 'asked', 'due'), inputs);
  return effects.some((effect) => effect !== 'config');
}

interface Response extends Partial<Omit<PlannedStep, 'step'>> {
  readonly event: Event;
}

/** What the service does at once. */
function respond<Shown extends Item>(
  step: Exclude<Step, 'done' | 'fail'>,
  situation: Seen<Shown>,
  flow: Flow<Properties, Shown>,
  listed: readonly Operation[],
): Response {
  const { item, inputs } = situation;
  switch (step) {
    case 'wait': {
      const operations = awaited(situation).map((each) => ({ ...each, status: 'finished' }));
      return { event: { kind: 'waited', awaited: operations, operations } };
    }
    case 'observe':
      return { event: { kind: 'observed', listed } };
    case 'trace': {
      // What is under way may have ended by then, too early to serve a trigger.
      const ended = listed.map((each) => (isUnfinished(each) ? { ...each, status: 'finished' } : each));
      return { event: { kind: 'traced', found: findStarted(situation, ended, flow) } };
    }
    case 'send':
    case 'rename': {
      const names = namesToSend(step, situation, flow);
      const differing = flow.arguments.findDrift(item, inputs, names);
      const actions = actionsOf(item, flow.effectsOf(differing, inputs));
      const started = actions.map((action) => ideal(action, situation));
      const reasons = reasonsAmong(flow.effectsOf(names, inputs));
      const event = { kind: 'accepted', names, started } as const;
      return { event, names, reasons, drops: started.some(isSuspension) };
    }
    case 'reset': {
      const names = ['resetTriggers'];
      return { event: { kind: 'accepted', names, started: [] }, names };
    }
    case 'suspend':
    case 'start': {
      const drops = step === 'suspend' && isUp(item);
      const isEffective = step === 'start' || drops;
      const found = isEffective ? [ideal(`${step}_compute`, situation)] : [];
      const event = { kind: 'controlled', verb: step, found, isOwn: true, isUnderWay: isEffective } as const;
      if (step === 'start') return { event };
      const names = asksFor('restartTriggers', situation) ? ['restartTriggers'] : [];
      const owed = findSuspensionReasons(situation.ledger, isStopped(situation));
      return { event, names, reasons: names.length > 0 ? union(owed, ['restart']) : owed, drops };
    }
    case 'read back':
      return { event: { kind: 'read back', item, drift: [] } };
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

/** Newer than all that is known. */
function ideal(action: string, { own, ledger }: Situation): Operation {
  const newestAt = Math.max(ledger.since, ...[...own, ...ledger.operations].map(timeOf));
  const created_at = new Date(newestAt + 1).toISOString();
  const counts = { failures_count: 0, created_at, updated_at: created_at };
  return { id: `${action} ${own.length}`, action, status: 'running', project_id: '', ...counts };
}
