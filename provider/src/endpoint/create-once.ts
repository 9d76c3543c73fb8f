import { ControlApiError } from '../control-api/control-api-error';
import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { describeBlockers } from '../engine/progress';
import { resolveConflict } from './branch-conflict';
import { type CreateWork, findListed } from './create-work';
import { toCreateAttributes } from './endpoint-changes';
import { type CreateTarget, type ExistingEndpoint, findExisting, findOwn } from './existing-endpoint';

/** A list of endpoints older than this does not prove that the endpoint does not exist. Milliseconds. */
const freshListMs = 5_000;

/** An endpoint that was created now, or one that existed. */
export type Creation = { readonly kind: 'new'; readonly change: EndpointChange } | ExistingEndpoint;

/**
 * Creates the endpoint exactly once, however often it is called. It is created under the derived name, which no other
 * client uses, so the endpoint is looked up by that name before the first request, after every request whose outcome is
 * unknown, and after a long wait for the project's lock. A name of the user's own is given to it as the last step.
 */
export async function createOnce(work: CreateWork): Promise<Creation> {
  const { project, inputs, target, deadline, progress } = work;
  const list = deadline.bound(project.endpoints.recent(freshListMs), 'list of the endpoints');
  const found = findExisting(target, await list);
  if (found) return found;
  const listedAt = Date.now();
  const attributes = toCreateAttributes({ ...inputs, name: nameAtCreation(target) });
  return project.write<Creation>({
    deadline,
    isLookupDue: () => Date.now() - listedAt > freshListMs,
    findDone: (isOutcomeUnknown) => findCreated(work, isOutcomeUnknown),
    send: async () => {
      try {
        const change = await project.api.createEndpoint(project.id, attributes, deadline);
        return { kind: 'new', change };
      } catch (error) {
        if (error instanceof ControlApiError && error.isConflict) return resolveConflict(work, error);
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

/** The endpoint, if a list shows it. After a request whose outcome is unknown, lists may not show it yet. */
async function findCreated(work: CreateWork, isOutcomeUnknown: boolean): Promise<Creation | undefined> {
  const find = (endpoints: readonly Endpoint[]) => findOwn(work.target, endpoints);
  // The branch refuses a second read_write endpoint, but would take a second replica: only then must the list be late
  // enough to show the first one.
  const isPatient = isOutcomeUnknown && work.inputs.type === 'read_only';
  const endpoint = await (isPatient ? findListed(work, find) : findListed(work, find, 0));
  return endpoint && { kind: 'own', endpoint, mayHaveTwin: isPatient };
}
