import type { Endpoint } from '../control-api/wire-types';
import { endpointArguments } from '../endpoint/endpoint-arguments';
import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';
import { endpointFlow, planFor } from '../endpoint/endpoint-resource';
import { toOutputs } from '../endpoint/endpoint-state';
import { situationOfFound } from '../lifecycle/beginning';
import type { Existing } from '../lifecycle/create-once';
import { describeImpact } from './change-impact';

/** What a take-over changes. */
export function assessTakeOver(
  { kind, item }: Existing<Endpoint>,
  inputs: EndpointInputs,
  secretNames: readonly string[],
) {
  const changes = endpointArguments.findTakeOverChanges(item, inputs, kind === 'own');
  const steps = planFor(situationOfFound(endpointFlow, inputs, item, kind, 'none'), item, inputs);
  const impact = describeImpact(
    { changes, steps, outputs: toOutputs(item, inputs), inputs, secretNames },
    item,
  );
  return { changes, impact };
}

export function describeAdoption(adopted: Endpoint, changes: readonly InputName[]): string {
  const what = changes.length > 0 ? `changes its ${changes.join(', ')}` : 'changes nothing on it';
  return `adopt takes over endpoint ${describeEndpoint(adopted)} and ${what}`;
}

export function describeNothingToAdopt({ branchId }: EndpointInputs): string {
  return `adopt finds no endpoint to take over on branch ${branchId}: \`pulumi up\` creates one`;
}

/** Without its name, which may be a secret of an earlier program. */
export function describeEndpoint({ id, created_at }: Endpoint): string {
  return `${id} (since ${created_at})`;
}
