import type { ControlApiError } from '../control-api/control-api-error';
import type { Endpoint } from '../control-api/wire-types';
import { situationOfCreation } from '../lifecycle/beginning';
import { createOnce } from '../lifecycle/create-once';
import type { Work } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { describeOrder, ifRenamed } from '../lifecycle/resource-errors';
import type { Created } from '../lifecycle/resource-lifecycle';
import { endpointArguments } from './endpoint-arguments';
import type { Declaration, EndpointInputs } from './endpoint-inputs';
import { checkGate, endpointFlow, startRun, toChange } from './endpoint-resource';
import type { EndpointOutputs } from './endpoint-state';
import { derivedNamesOf, findBranchEndpoint, findExisting } from './existing-endpoint';

/**
 * Creates the endpoint, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledError when the endpoint exists, but not as declared: it is kept in state
 */
export async function createEndpoint(
  started: Work<EndpointInputs>,
  claims: ResourceClaims,
): Promise<Created<EndpointOutputs>> {
  const { project, inputs, deadline } = started;
  const attributes = endpointArguments.toCreateAttributes(inputs, nameAtCreation(started));
  const creation = await createOnce<Endpoint>({
    work: started,
    list: project.endpoints,
    findExisting: (endpoints) => findExisting(started, endpoints),
    // A branch may have several replicas.
    refusesSecond: inputs.type === 'read_write',
    explainConflict: (endpoints, conflict) => explainConflict(inputs, endpoints, conflict),
    send: () => project.api.createEndpoint(project.id, attributes, deadline).then(toChange),
  });
  const { origin, item } = creation;
  const work = { ...started, action: 'create', kind: 'endpoint', id: item.id } as const;
  const situation = situationOfCreation(endpointFlow, inputs, creation);
  // Before claiming: an adopted endpoint that must not be changed must not enter the state.
  if (origin === 'adopted') await checkGate(work, situation, async () => item);
  claims.claimCreated(item.id, started);
  return { id: item.id, outputs: await startRun(work, situation).run([]) };
}

/** @throws Error when there is neither a derived name nor one that the program gives */
function nameAtCreation(declaration: Declaration): string {
  const [derived] = derivedNamesOf(declaration);
  const name = derived ?? declaration.inputs.name;
  if (name !== undefined) return name;
  throw new Error('create of an endpoint: it has neither a name nor a URN to derive one from.');
}

/** The service allows a branch one read_write endpoint, and answers 409 to a create of a second one. */
function explainConflict(
  inputs: EndpointInputs,
  endpoints: readonly Endpoint[],
  conflict: ControlApiError,
): void {
  const holder = findBranchEndpoint(inputs, endpoints);
  if (!holder) return;
  const now = 'adopt: true takes it over; type read_only creates a replica beside it';
  const message = `${conflict.message}. The read_write endpoint of the branch is ${holder.id}: ${now}. ${ifRenamed}. ${describeOrder(holder.id, 'moves or replaces')}.`;
  throw new Error(message, { cause: conflict });
}
