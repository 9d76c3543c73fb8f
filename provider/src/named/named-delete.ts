import { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { parseNamedId } from '../control-api/named-api';
import { deleteGuarded } from '../lifecycle/delete-facts';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { ServiceProject } from '../operations/service-project';
import { isOf } from './named-resource';
import type { NamedInputs, NamedType, PriorNamed } from './named-type';

/**
 * Deletes it, unless a resource of this run keeps it.
 * @throws Error that says why nothing is deleted
 */
export async function deleteNamed<Inputs extends NamedInputs>(
  core: ProviderCore,
  { kind, refusal = '' }: NamedType<Inputs>,
  id: string,
  prior: PriorNamed<Inputs>,
  deadline: Deadline,
): Promise<void> {
  const { outputs } = prior;
  const { base } = core.claims[kind].recordOf(id);
  const send = ({ api }: ServiceProject, idNow: string) =>
    api.deleteNamed(kind, parseNamedId(idNow), deadline).catch((error: unknown) => {
      if (!(error instanceof ControlApiError && error.status === 422)) throw error;
      // A role that owns a database which the program does not have: both go with their branch, which this run deletes next.
      if (kind === 'role' && base !== undefined) return { operations: [] };
      throw new Error(`${error.message}. ${refusal}`.trim(), { cause: error });
    });
  // Others may have renamed it, and given its name to another one.
  return deleteGuarded({ core, kind, id, prior, deadline, isSame: isOf(outputs), send });
}
