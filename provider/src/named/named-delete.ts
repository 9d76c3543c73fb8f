import { ControlApiError } from '../control-api/control-api-error';
import { toNamedId } from '../control-api/named-api';
import { judgeDelete } from '../lifecycle/delete-guards';
import { deleteResource } from '../lifecycle/delete-resource';
import type { ProviderCore, Work } from '../lifecycle/provider-core';
import { isOf } from './named-resource';
import type { NamedInputs, NamedType, PriorNamed } from './named-type';

/**
 * Deletes it, unless a resource of this run keeps it.
 * @throws Error that says why nothing is deleted
 */
export async function deleteNamed<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  id: string,
  prior: PriorNamed<Inputs>,
  start: () => Promise<Work<unknown>>,
): Promise<void> {
  const { kind, refusal = '' } = named;
  const claims = core.claims[kind];
  const { urn } = prior.resource;
  const { project, deadline, progress } = await start();
  const list = project.named(kind, prior.outputs.branchId);
  // Others may have renamed it, and given its name to another one.
  const found = await list.find(id, { deadline, isSame: isOf(prior.outputs) });
  const at = { ...prior.outputs, name: found?.name ?? prior.outputs.name };
  const path = toNamedId(at);
  const keeper = claims.keeperOf(id, urn) ?? claims.keeperOf(path, urn);
  if (keeper !== undefined) return core.reportKept(`${kind} ${path}`, urn, keeper);
  const send = () =>
    project.api.deleteNamed(kind, at, deadline).catch((error: unknown) => {
      if (!(error instanceof ControlApiError && error.status === 422)) throw error;
      // A role that owns a database which the program does not have: both go with their branch, which this run deletes next.
      if (kind === 'role' && core.claims.branch.isReplaced(prior.outputs.branchId)) return { operations: [] };
      throw new Error(`${error.message}. ${refusal}`.trim(), { cause: error });
    });
  const check = async () => checkDelete(core, named, id, prior, at.name);
  const request = { project, kind, id: path, list, send, check, deadline, progress };
  await claims.noteLeaving(id, deleteResource(request));
}

/** @throws Error when the run or the program shows that it must not be deleted */
function checkDelete<Inputs extends NamedInputs>(
  core: ProviderCore,
  { kind, loss }: NamedType<Inputs>,
  id: string,
  { resource: { urn }, outputs }: PriorNamed<Inputs>,
  nameNow: string,
): void {
  const { projectId, branchId, name } = outputs;
  const claims = core.claims[kind];
  const { allowDataLoss } = claims.resource(urn).declared?.inputs ?? {};
  const hasSuccessor = claims.hasOther(id, urn) || claims.findReplacement(urn) !== undefined;
  const reason = judgeDelete({
    subject: { action: 'delete', kind, id },
    lacksCreate: claims.lacksCreate(urn),
    unallowed: loss && hasSuccessor && allowDataLoss !== true ? 'allowDataLoss' : undefined,
    adopter: claims.findAdopter({ projectId, branchId, names: [name, nameNow] }, urn),
  });
  if (reason !== undefined) throw new Error(reason);
}
