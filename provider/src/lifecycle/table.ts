import { unionBy, without } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import { isFailed as isFailedOperation, isUnfinished } from '../operations/operation-outcome';
import { findSuspensionReasons, hasFailed, isDue, isSuspension, isUnderWay, namesAt } from './ledger';
import { asksFor, isOwn, isStopped, isWaiting, type Rules, type Situation, type Step } from './situation';

interface Row {
  readonly step: Step;
  readonly when: (situation: Situation) => boolean;
}

/** What to do next with a resource: the first row that fits. The order matters (docs/internals/lifecycle.md). */
export const table: readonly Row[] = [
  // Nothing is sent after a failure of this run.
  { step: 'fail', when: ({ own, view }) => own.some(isFailedOperation) || view === 'differs' },
  // An outcome decides what is owed.
  { step: 'wait', when: (situation) => awaited(situation).length > 0 },
  // Before anything is sent: what is found pays only earlier debts.
  {
    step: 'observe',
    when: ({ past, ledger, writes }) =>
      past === 'uncertain' || (past === 'recorded' && writes === 'none' && isBehind(ledger)),
  },
  // Before more is sent: what an earlier request started may have failed.
  { step: 'trace', when: ({ ledger }) => namesAt(ledger, 'untraced').length > 0 },
  // Before suspend: a stop or a move makes a restart superfluous, and a change of size restarts by itself.
  { step: 'send', when: ({ ledger }) => sendable(ledger).length > 0 || isDue(ledger, 'config') },
  // After send: an update that unprotects the branch allows its reset.
  { step: 'reset', when: (situation) => asksFor('resetTriggers', situation) },
  { step: 'suspend', when: owesSuspension },
  { step: 'start', when: (situation) => isDue(situation.ledger, 'start') && isEnabled(situation) },
  { step: 'read back', when: ({ view }) => view === 'open' },
  // Last: until then the derived name proves whose the resource is.
  { step: 'rename', when: ({ ledger }) => namesAt(ledger, 'last').length > 0 },
  { step: 'done', when: () => true },
];

export function decide(situation: Situation): Step {
  return table.find(({ when }) => when(situation))?.step ?? 'done';
}

/** The operations to wait for. Without waiting, those of earlier runs, and a suspension that a start has to follow. */
export function awaited(situation: Situation): readonly Operation[] {
  const { ledger, own } = situation;
  const unfinished = unionBy(ledger.operations, own, 'id').filter(isUnfinished);
  if (isWaiting(situation)) return unfinished;
  return unfinished.filter(
    (each) => !isOwn(situation, each) || (isSuspension(each) && isDue(ledger, 'start')),
  );
}

/** The arguments that the step sends; after a failed `apply_config` also what drops no connection. */
export function namesToSend(step: Step, { ledger, inputs }: Situation, rules: Rules): readonly string[] {
  if (step === 'rename') return namesAt(ledger, 'last');
  if (step !== 'send') return [];
  const names = sendable(ledger);
  const isConfigured = rules.effectsOf(names, inputs).includes('config');
  return isDue(ledger, 'config') && !isConfigured
    ? [...new Set([...names, ...rules.repeatable(inputs)])]
    : names;
}

/** The service does not know the triggers: they ask for a restart or a reset. */
function sendable(ledger: Situation['ledger']): readonly string[] {
  return without(namesAt(ledger, 'asked', 'due'), 'restartTriggers', 'resetTriggers');
}

/** Whether the compute has to go down, and nothing is about to suspend it. */
function owesSuspension(situation: Situation): boolean {
  const { ledger } = situation;
  const reasons = findSuspensionReasons(ledger, isStopped(situation));
  return !isUnderWay(ledger, 'restart') && (reasons.length > 0 || asksFor('restartTriggers', situation));
}

function isEnabled(situation: Situation): boolean {
  return !isStopped(situation) && situation.item?.disabled !== true;
}

/** Whether something has failed, or is owed and not under way. */
function isBehind(ledger: Situation['ledger']): boolean {
  return hasFailed(ledger) || (ledger.owed.length > 0 && !ledger.operations.some(isUnfinished));
}
