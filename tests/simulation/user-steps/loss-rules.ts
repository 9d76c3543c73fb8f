import type { Branch, Endpoint } from 'postgres-control-emulator';
import { type DeclaredResource, isBranchUrn, type StoredResource } from '../engine/stack';
import type { RunRecord } from './run-record';

/** Whether a sentence that names a branch or an endpoint says that it will not remain. */
export function speaksOfLoss(text: string): boolean {
  return (
    /delet|replac|goes with|go with|removed/.test(text) && !/was not deleted|were not deleted/.test(text)
  );
}

/** Whether the program has the resource of this URN, perhaps under a new name. */
export function declares({ program }: RunRecord, urn: string): DeclaredResource | undefined {
  return program.find((each) => [each.urn, ...(each.aliases ?? [])].includes(urn));
}

/** Whether the resource is not in state: the run creates it. */
export function isNew({ urn, aliases = [] }: DeclaredResource, { state }: RunRecord): boolean {
  return !state.some((each) => [urn, ...aliases].includes(each.urn));
}

/**
 * Whether the resource is to take over a branch or an endpoint in this run: it is new, and the name fits, the one that the service has
 * or that the state has. A read_write endpoint also fits by its branch.
 */
export function isAdopterOf(resource: DeclaredResource, record: RunRecord, lost: Branch | Endpoint): boolean {
  const { values } = resource.inputs;
  const isEndpoint = 'branch_id' in lost;
  if (values.adopt !== true || !isNew(resource, record)) return false;
  if (isBranchUrn(resource.urn) === isEndpoint || values.projectId !== lost.project_id) return false;
  if (isEndpoint && values.type !== lost.type) return false;
  const stored = record.state.find(({ id }) => id === lost.id);
  const names = [lost.name, stored?.outputs.values.name, stored?.inputs.values.name];
  if (values.name !== undefined && names.includes(values.name)) return true;
  return isEndpoint && lost.type === 'read_write' && values.branchId === lost.branch_id;
}

/**
 * Whether the engine's own display shows the delete: of a resource that the program no longer declares, or that is replaced. When a
 * change replaces a branch, the provider has to say that its data go; a forced replacement names it.
 */
export function mayDelete(
  record: RunRecord,
  stored: StoredResource | undefined,
  lost: Branch | Endpoint,
): boolean {
  const { step, steps } = record;
  if (step.command === 'destroy' || (!('branch_id' in lost) && lost.current_state === 'init')) return true;
  if (!stored || !steps.has(`delete ${stored.urn}`)) return false;
  const declared = declares(record, stored.urn);
  if (!declared || !isBranchUrn(stored.urn)) return true;
  const { replace = [], targetReplace = [], taint = [] } = step;
  const forced = [...replace, ...targetReplace, ...taint].map((name) => `::${name}`);
  return stored.isTainted || forced.some((name) => declared.urn.endsWith(name));
}

/** Whether a sentence of a preview says that the command may fail, and not only what it does. */
export function foretellsFailure(text: string): boolean {
  return /fail|stops|refus|can't|cannot|unless|two runs|earlier|becomes free|will be free/.test(text);
}
