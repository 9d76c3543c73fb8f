import type { Operation } from '../control-api/wire-types';
import { isConfig, isSuspension, isUnpaid, namesAt, newestOfEach } from './ledger';
import { isOwn, type Rules, type Situation } from './situation';

/**
 * The listed operations that an earlier request for the untraced arguments has started. A lone suspension is an autosuspend,
 * unless a stop or a move was requested.
 * @param listed newest first
 */
export function findStarted(
  situation: Situation,
  listed: readonly Operation[],
  rules: Rules,
): readonly Operation[] {
  const { ledger, inputs, item } = situation;
  const names = namesAt(ledger, 'untraced');
  const effects = rules.effectsOf(names, inputs);
  const newest = newestOfEach(listed.filter((each) => !isOwn(situation, each)));
  const unpaid = newest.filter(isUnpaid);
  const mayBeLone = names.includes('disabled') || item?.disabled === true || effects.includes('move');
  if (!mayBeLone && unpaid.length > 0 && unpaid.every(isSuspension)) return [];
  const isShown = newest.some(
    (each) => isConfig(each) || (!effects.includes('config') && isSuspension(each)),
  );
  return isShown ? newest : [];
}
