import { difference } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import {
  ask,
  creationDebts,
  findSuspensionReasons,
  forgetUnpayable,
  isConfig,
  isDue,
  isSuspension,
  isUnpaid,
  moveTo,
  namesAt,
  newestOfEach,
  type Owed,
  owe,
  oweFor,
  pay,
  paySuspension,
  reasonsAmong,
  record,
  settle,
  timeOf,
} from './ledger';
import { asksFor, type Event, type Item, isOwn, isStopped, type Rules, type Situation } from './situation';

/** What a run knows after an event. Pure, and total: the compiler refuses a forgotten kind. */
export function evolve(situation: Situation, event: Event, rules: Rules): Situation {
  const { ledger } = situation;
  switch (event.kind) {
    case 'asked':
      return { ...situation, ledger: ask(ledger, event.names) };
    case 'shown':
      return show(situation, event.item);
    case 'answered': {
      const writes = situation.writes === 'unknown' ? 'unknown' : 'accepted';
      return { ...show(situation, event.item), writes, view: 'open' };
    }
    case 'lost':
      return { ...situation, writes: 'unknown', view: 'open' };
    case 'broken off':
      return breakOff(situation, event);
    case 'progress':
      return recordSeen(situation, event.operations, rules);
    case 'waited':
      return endWait(situation, event, rules);
    case 'observed': {
      const owesSuspension = findSuspensionReasons(ledger, isStopped(situation)).length > 0;
      // The service suspends idle computes by itself.
      const relevant = newestOfEach(event.listed).filter((each) => owesSuspension || !isSuspension(each));
      // Where a response was lost, what has succeeded may be older than the request, and pays nothing.
      const isUncertain = situation.past === 'uncertain';
      const found = isUncertain ? relevant.filter(isUnpaid) : relevant;
      return account(acceptFound({ ...situation, past: 'closed' }, found, rules), event.listed);
    }
    case 'accepted':
      return acceptSent(situation, event, rules);
    case 'traced':
      return endTrace(situation, event.found, rules);
    case 'controlled':
      return endControl(situation, event, rules);
    case 'read back': {
      const { drift, item } = event;
      const seen = show(situation, item);
      if (drift.length > 0) return { ...seen, view: 'differs', ledger: moveTo(ledger, 'due', drift) };
      // An endpoint that is enabled owes no stop, one that others have stopped owes no start, and a branch that is ready has its data.
      const paid: readonly Owed[] = [
        ...creationDebts,
        ...(isStopped(situation) ? [] : (['stop'] as const)),
        ...(item.disabled === true ? (['start'] as const) : []),
      ];
      return { ...seen, view: 'agreed', ledger: forgetUnpayable(pay(ledger, ...paid)) };
    }
  }
}

/** A read may be older than what is known. */
function show(situation: Situation, item: Item): Situation {
  const known = situation.item?.updated_at;
  const isOlder =
    known !== undefined && item.updated_at !== undefined && Date.parse(item.updated_at) < Date.parse(known);
  return isOlder ? situation : { ...situation, item };
}

/** Where the outcome of the step's request is unknown, the next run repeats it. */
function breakOff(situation: Situation, { step, names }: Extract<Event, { kind: 'broken off' }>): Situation {
  if (situation.writes !== 'unknown') return situation;
  if (step === 'suspend') return oweStart(joinTrigger(situation));
  return { ...situation, ledger: moveTo(situation.ledger, 'due', names) };
}

function endWait(
  situation: Situation,
  { awaited, operations }: Extract<Event, { kind: 'waited' }>,
  rules: Rules,
): Situation {
  const isAwaited = ({ id }: Operation) => awaited.some((each) => each.id === id);
  const hasOwn = awaited.some((each) => isOwn(situation, each));
  const followUps = operations.filter((each) => !isAwaited(each));
  // An operation that the service no longer shows has ended. Only the resource shows how.
  const vanished = awaited
    .filter(({ id }) => !operations.some((each) => each.id === id))
    .map((each) => ({ ...each, status: 'finished' }));
  const begun: Situation = {
    ...situation,
    ledger: oweFor(situation.ledger, followUps),
    own: hasOwn ? [...situation.own, ...followUps] : situation.own,
    isBlind: situation.isBlind || vanished.length > 0,
  };
  return recordAll(begun, [...vanished, ...operations], rules);
}

/** The service has accepted these arguments, and has started these operations for them. */
function acceptSent(
  situation: Situation,
  { names, started }: Extract<Event, { kind: 'accepted' }>,
  rules: Rules,
): Situation {
  const effects = rules.effectsOf(names, situation.inputs);
  const isUntraced = mayHaveStarted(situation, names, effects, started);
  const accepted: Situation = {
    ...situation,
    ledger: moveTo(situation.ledger, isUntraced ? 'untraced' : 'sent', names),
    // A response without operations does not show what a lost request has started.
    writes: situation.writes === 'unknown' && started.length === 0 ? 'unknown' : 'accepted',
  };
  return acceptOwn(applyEffects(accepted, names, effects, started), started, rules);
}

/**
 * Whether the service had these values already: an earlier request, lost or of a killed run, may have started the operations. Values
 * that this run has sent before are traced already.
 */
function mayHaveStarted(
  { ledger, item, writes }: Situation,
  names: readonly string[],
  effects: readonly Owed[],
  started: readonly Operation[],
): boolean {
  if (difference(names, namesAt(ledger, 'sent')).length === 0) return false;
  const isDisruptive = reasonsAmong(effects).length > 0 && !started.some(isSuspension);
  const mayHaveMatched = started.length === 0 || (writes === 'unknown' && isDisruptive);
  const mayBeUp = mayHaveMatched || item?.current_state !== 'idle';
  return (isDisruptive && mayBeUp) || (mayHaveMatched && effects.includes('config'));
}

/** Adds the debts that a request for these arguments creates, and removes those that it pays, by the operations that it started. */
function applyEffects(
  situation: Situation,
  names: readonly string[],
  effects: readonly Owed[],
  started: readonly Operation[],
): Situation {
  const suspends = started.some(isSuspension);
  // One suspension also serves a trigger.
  const joined = suspends ? joinTrigger(situation) : situation;
  const reasons = suspends ? reasonsAmong(effects) : [];
  // Equal values start no operation: the failed configuration is written off, and applied at the next start of the compute.
  const isConfigured = effects.includes('config') || isDue(joined.ledger, 'config');
  const paid: Owed[] = isConfigured && !started.some(isConfig) ? ['config'] : [];
  if (names.includes('disabled') && !isStopped(situation)) paid.push('stop');
  // A move leaves the compute idle, even one that was about to start.
  if (reasons.includes('move')) paid.push('start');
  return { ...joined, ledger: owe(pay(joined.ledger, ...paid), ...reasons) };
}

/** Adds what an earlier request for the untraced arguments has started. If this run lost a response, that request was its own. */
function endTrace(situation: Situation, found: readonly Operation[], rules: Rules): Situation {
  const names = namesAt(situation.ledger, 'untraced');
  const effects = rules.effectsOf(names, situation.inputs);
  const sent: Situation = {
    ...situation,
    writes: 'accepted',
    ledger: moveTo(situation.ledger, 'sent', names),
  };
  if (situation.writes === 'unknown')
    return acceptOwn(applyEffects(sent, names, effects, found), found, rules);
  return acceptFound(applyEffects(sent, names, effects, found.filter(isUnpaid)), found, rules);
}

/** A suspension or a start was requested. If that had no effect, the compute was in that state already. */
function endControl(
  situation: Situation,
  event: Extract<Event, { kind: 'controlled' }>,
  rules: Rules,
): Situation {
  const { verb, found, isUnderWay } = event;
  const isEffective = found.length > 0 || isUnderWay;
  const joined = verb === 'suspend' ? joinTrigger(situation) : situation;
  const begun = verb === 'suspend' && isEffective ? oweStart(joined) : joined;
  const paid = verb === 'suspend' ? paySuspension(begun.ledger) : pay(begun.ledger, 'start');
  const accepted: Situation = {
    ...begun,
    writes: 'accepted',
    // Where a repeated request names no operation, one may have ended unseen.
    isBlind: situation.isBlind || (event.isOwn && situation.writes === 'unknown'),
    ledger: found.length === 0 ? paid : begun.ledger,
  };
  return event.isOwn ? acceptOwn(accepted, found, rules) : acceptFound(accepted, found, rules);
}

/** If a trigger asks for a restart, the suspension serves it: the trigger counts as sent, and a restart is owed. */
function joinTrigger(situation: Situation): Situation {
  if (!asksFor('restartTriggers', situation)) return situation;
  return { ...situation, ledger: owe(moveTo(situation.ledger, 'sent', ['restartTriggers']), 'restart') };
}

/** A restart owes a start once its suspension may have had an effect. */
function oweStart(situation: Situation): Situation {
  const isRestart = situation.ledger.owed.includes('restart') && !isStopped(situation);
  return isRestart ? { ...situation, ledger: owe(situation.ledger, 'start') } : situation;
}

function acceptOwn(situation: Situation, started: readonly Operation[], rules: Rules): Situation {
  const recorded = started.filter((each) => rules.isRecorded(each, situation.item));
  const ledger = record(oweFor(situation.ledger, recorded), recorded);
  const own = [...situation.own, ...started];
  return account({ ...situation, own, ledger: settle(ledger, isStopped(situation)) }, started);
}

/** The ledger now accounts for these, unless something older may be unknown: a killed run may have sent what this one is to send. */
function account(situation: Situation, seen: readonly Operation[]): Situation {
  const { past, ledger } = situation;
  if (past === 'uncertain' || namesAt(ledger, 'asked', 'due', 'untraced').length > 0) return situation;
  return { ...situation, ledger: { ...ledger, since: Math.max(ledger.since, ...seen.map(timeOf)) } };
}

/** Adds operations that this run did not start, such as those of a killed run. One that has succeeded pays, and adds no debt. */
function acceptFound(situation: Situation, found: readonly Operation[], rules: Rules): Situation {
  const ledger = oweFor(situation.ledger, found.filter(isUnpaid));
  return recordAll({ ...situation, ledger }, found, rules);
}

function recordAll(situation: Situation, seen: readonly Operation[], rules: Rules): Situation {
  const own = situation.own.map((each) => seen.find(({ id }) => id === each.id) ?? each);
  const { ledger } = recordSeen(situation, seen, rules);
  return account({ ...situation, own, ledger: settle(ledger, isStopped(situation)) }, seen);
}

function recordSeen(situation: Situation, seen: readonly Operation[], rules: Rules): Situation {
  const recorded = seen.filter((each) => rules.isRecorded(each, situation.item));
  return account({ ...situation, ledger: record(situation.ledger, recorded) }, seen);
}
