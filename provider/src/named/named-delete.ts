import { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { toNamedId } from '../control-api/named-api';
import { deleteGuarded } from '../lifecycle/delete-facts';
import type { ProviderCore } from '../lifecycle/provider-core';
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
  const { outputs, resource } = prior;
  const project = core.projects.project(outputs.projectId);
  // Others may have renamed it, and given its name to another one.
  const list = project.named(kind, outputs.branchId);
  const found = await list.find(id, { deadline, isSame: isOf(outputs) });
  const at = { ...outputs, name: found?.name ?? outputs.name };
  const { base } = core.claims[kind].resource(resource.urn);
  const send = () =>
    project.api.deleteNamed(kind, at, deadline).catch((error: unknown) => {
      if (!(error instanceof ControlApiError && error.status === 422)) throw error;
      // A role that owns a database which the program does not have: both go with their branch, which this run deletes next.
      if (kind === 'role' && base !== undefined) return { operations: [] };
      throw new Error(`${error.message}. ${refusal}`.trim(), { cause: error });
    });
  return deleteGuarded({ core, kind, id, idNow: toNamedId(at), prior, deadline, send });
}
