import type { ControlApiError } from '../control-api/control-api-error';
import type { Endpoint } from '../control-api/wire-types';
import { situationOfFound, situationOfNew } from '../lifecycle/beginning';
import { createOnce } from '../lifecycle/create-once';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import type { Subject } from '../lifecycle/resource-errors';
import { endpointArguments } from './endpoint-arguments';
import type { Declaration } from './endpoint-inputs';
import { startRun, toChange } from './endpoint-resource';
import { type EndpointWork, endpointFlow } from './endpoint-situation';
import type { EndpointOutputs } from './endpoint-state';
import {
  type CreateTarget,
  findBranchEndpoint,
  findExisting,
  findOwn,
  toCreateTarget,
} from './existing-endpoint';
import { checkGate } from './gate';

export interface CreateEndpointRequest extends Omit<EndpointWork, keyof Subject> {
  readonly claims: ResourceClaims;
  readonly declaration: Declaration;
}

/**
 * Creates the endpoint, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledError when the endpoint exists, but not as declared: it is kept in state
 */
export async function createEndpoint(
  request: CreateEndpointRequest,
): Promise<{ readonly id: string; readonly outputs: EndpointOutputs }> {
  const { project, inputs, declaration, claims, deadline } = request;
  const target = toCreateTarget(declaration);
  const attributes = endpointArguments.toCreateAttributes(inputs, nameAtCreation(target));
  const creation = await createOnce<Endpoint>({
    work: request,
    list: project.endpoints,
    findExisting: (endpoints) => findExisting(target, endpoints),
    findOwn: (endpoints) => findOwn(target, endpoints),
    // A branch may have several replicas.
    refusesSecond: inputs.type === 'read_write',
    explainConflict: (endpoints, conflict) => explainConflict(request, endpoints, conflict),
    send: () => project.api.createEndpoint(project.id, attributes, deadline).then(toChange),
  });
  const { kind, item } = creation;
  const work: EndpointWork = { ...request, action: 'create', kind: 'endpoint', id: item.id };
  const situation =
    kind === 'new'
      ? situationOfNew(endpointFlow, inputs, item, creation.operations)
      : situationOfFound(endpointFlow, inputs, item, kind, creation.writes);
  // Before claiming: an adopted endpoint that must not be changed must not enter the state.
  if (kind === 'adopted') await checkGate(work, situation, async () => item);
  claims.claimCreated(item.id, declaration);
  return { id: item.id, outputs: await startRun(work, situation).run([]) };
}

/** @throws Error when there is neither a derived name nor one that the program gives */
function nameAtCreation({ derivedNames: [derived], inputs }: CreateTarget): string {
  const name = derived ?? inputs.name;
  if (name !== undefined) return name;
  throw new Error('create of an endpoint: it has neither a name nor a URN to derive one from.');
}

/** The service allows a branch one read_write endpoint, and answers 409 to a create of a second one. */
function explainConflict(
  { inputs, claims }: CreateEndpointRequest,
  endpoints: readonly Endpoint[],
  conflict: ControlApiError,
): void {
  const holder = findBranchEndpoint(inputs, endpoints);
  if (!holder) return;
  const mover = claims.item(holder.id).mover;
  const now = mover
    ? `This update moves it to another branch: add its resource (${mover}) to \`dependsOn\` of this one, so that it moves first`
    : 'adopt: true takes it over; type read_only creates a replica beside it; if this update deletes its resource, apply that in an earlier `pulumi up`';
  const message = `${conflict.message}. The read_write endpoint of the branch is ${holder.id}. ${now}.`;
  throw new Error(message, { cause: conflict });
}
