import type { Endpoint } from '../control-api/wire-types';
import { namesAt } from '../lifecycle/ledger';
import { mayDrop } from '../lifecycle/plan';
import { describeNamed } from '../lifecycle/resource-identity';
import type { Situation } from '../lifecycle/situation';
import { describeImpact, describeRefusal } from '../preview/change-impact';
import { endpointArguments } from './endpoint-arguments';
import { type EndpointWork, endpointFlow, planFor } from './endpoint-situation';
import { toOutputs } from './endpoint-state';

/** @throws Error when `allowRestart` is false, and the rest of the run would drop connections */
export async function checkGate(
  { allowsRestart, id, inputs, urn, secretNames, settingNames }: EndpointWork,
  situation: Situation,
  read: () => Promise<Endpoint>,
): Promise<void> {
  if (allowsRestart || !mayDrop(situation, endpointFlow)) return;
  const live = await read();
  const steps = planFor(situation, live, inputs);
  const changes = namesAt(situation.ledger, 'asked', 'due').filter(endpointArguments.has);
  const impact = describeImpact(
    { changes, steps, outputs: toOutputs(live, inputs), inputs, secretNames },
    live,
  );
  if (!impact.drops) return;
  const sent = situation.writes === 'none' ? [] : namesAt(situation.ledger, 'sent');
  throw new Error(describeRefusal(describeNamed(id, urn), impact, inputs, settingNames, sent));
}
