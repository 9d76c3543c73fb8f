import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { describeBlockers } from '../display/progress';
import { toCreateAttributes } from './endpoint-changes';
import type { EndpointClaims } from './endpoint-claims';
import type { EndpointWork } from './endpoint-operations';
import {
  type CreateTarget,
  type ExistingEndpoint,
  findBranchEndpoint,
  findExisting,
  findOwn,
} from './existing-endpoint';

/** A list of endpoints older than this does not prove that the endpoint does not exist. Milliseconds. */
const listKeepsMs = 5_000;
/** How long a list may take after the deadline of the create. Milliseconds. */
const longestListMs = 30_000;

/** An endpoint that was created now, or one that existed. */
export type Creation = { readonly kind: 'new'; readonly change: EndpointChange } | ExistingEndpoint;

export type CreateWork = Omit<EndpointWork, 'endpointId' | 'action' | 'allowsRestart'> & {
  readonly target: CreateTarget;
  readonly claims: EndpointClaims;
};

/**
 * Creates the endpoint exactly once, however often it is called. It is created under the derived name, which no other
 * client uses, so the endpoint is looked up by that name before the first request, after every request whose outcome is
 * unknown, and after a long wait for the project's lock. A name of the user's own is given to it as the last step.
 */
export async function createOnce(work: CreateWork): Promise<Creation> {
  const { project, inputs, target, deadline, progress } = work;
  const list = deadline.bound(project.endpoints.recent(listKeepsMs), 'list of the endpoints');
  const found = findExisting(target, await list);
  if (found) return found;
  const listedAt = Date.now();
  const attributes = toCreateAttributes({ ...inputs, name: nameAtCreation(target) });
  return project.write<Creation>({
    deadline,
    isLookupDue: () => Date.now() - listedAt > listKeepsMs,
    findDone: () => findAfterLostResponse(work),
    send: async () => {
      try {
        const change = await project.api.createEndpoint(project.id, attributes, deadline);
        return { kind: 'new', change };
      } catch (error) {
        if (error instanceof ControlApiError && error.isConflict) return explainConflict(work, error);
        throw error;
      }
    },
    onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (creation) => (creation.kind === 'new' ? creation.change.operations : []),
  });
}

/** @throws Error when there is neither a derived name nor one that the program gives */
function nameAtCreation({ derivedNames: [derived], inputs }: CreateTarget): string {
  const name = derived ?? inputs.name;
  if (name !== undefined) return name;
  throw new Error('create of an endpoint: it has neither a name nor a URN to derive one from.');
}

/** After a request whose outcome is unknown: the endpoint, once a list shows it. */
async function findAfterLostResponse(work: CreateWork): Promise<Creation | undefined> {
  const find = (endpoints: readonly Endpoint[]) => findOwn(work.target, endpoints);
  // The branch refuses a second read_write endpoint, but would take a second replica: only then must the list be late
  // enough to show the first one.
  const endpoint = await (work.inputs.type === 'read_write' ? relist(work, find, 0) : relist(work, find));
  return endpoint && { kind: 'own', endpoint };
}

async function explainConflict(work: CreateWork, conflict: ControlApiError): Promise<Creation> {
  const { inputs, target, claims } = work;
  const found = await relist(work, (endpoints) => {
    const existing = findExisting(target, endpoints);
    const holder = findBranchEndpoint(inputs, endpoints);
    return existing || holder ? { existing, holder } : undefined;
  });
  if (found?.existing) return found.existing;
  if (!found?.holder) throw conflict;
  const { holder } = found;
  const mover = claims.moverOf(holder.id);
  const now = mover
    ? `This update moves it to another branch: add its resource (${mover}) to \`dependsOn\` of this one, so that it moves first`
    : 'adopt: true takes it over; type read_only creates a replica beside it; if this update deletes its resource, run `pulumi up` again';
  throw new Error(`${conflict.message}. The read_write endpoint of the branch is ${holder.id}. ${now}.`, {
    cause: conflict,
  });
}

/** Lists the endpoints until something is found, or until reads can no longer lag behind. */
function relist<Found>(
  { project: { endpoints, readLagMs }, deadline }: CreateWork,
  find: (endpoints: readonly Endpoint[]) => Found | undefined,
  lagMs = readLagMs,
): Promise<Found | undefined> {
  const list = () => new Deadline(longestListMs).bound(endpoints.fresh(), 'list of the endpoints');
  const read = async () => find(await list());
  return rereadUntil(Math.min(lagMs, deadline.remainingMs), read, (found) => found !== undefined);
}
