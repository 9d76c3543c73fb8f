import type { ControlApiError } from '../control-api/control-api-error';
import { TakenError } from '../lifecycle/resource-errors';
import { type CreateWork, findListed } from './create-work';
import { type ExistingEndpoint, findBranchEndpoint, findExisting } from './existing-endpoint';

/**
 * The service allows a branch one read_write endpoint, and answers 409 to a create of a second one; the provider does not check
 * this before. After such a 409: the endpoint that this create takes over, if it exists by now.
 * @throws TakenError that names the read_write endpoint of the branch, of which there can be only one, and what to do
 */
export async function resolveConflict(
  work: CreateWork,
  conflict: ControlApiError,
): Promise<ExistingEndpoint> {
  const { inputs, target, claims } = work;
  const found = await findListed(work, (endpoints) => {
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
    : 'adopt: true takes it over; type read_only creates a replica beside it; if this update deletes its resource, apply that in an earlier `pulumi up`';
  const message = `${conflict.message}. The read_write endpoint of the branch is ${holder.id}. ${now}.`;
  throw new TakenError(message, [holder.id], { cause: conflict });
}
