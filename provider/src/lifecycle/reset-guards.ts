import type { Endpoint } from '../control-api/wire-types';
import { childIds } from './children';
import type { ProviderCore } from './provider-core';
import { type Declared, describeNamed } from './resource-identity';
import { isUp } from './situation';

/**
 * Checks the reset of a branch against its endpoints, and against its children that the program declares. The engine asks about
 * these and about the branch in any order, so each diff calls this.
 * @throws Error when the reset drops connections that `allowRestart` protects, or moves a child of the program to another branch
 */
export async function checkReset(
  core: ProviderCore,
  declaration: Declared<{ readonly projectId: string }>,
  branchId: string,
): Promise<void> {
  const { branch } = core.claims;
  if (branch.item(branchId).reset !== 'expected') return;
  checkDrops(core, branchId, await core.list(declaration, 'endpoints'));
  const children = childIds(await core.list(declaration, 'branches'), branchId);
  const declared = children.find((id) => branch.recordOf(id).declared !== undefined);
  if (declared)
    throw new Error(
      `the reset of branch ${branchId} would move its child ${nameOf(branch, declared)}, which this program declares, to the branch that keeps the data. Nothing was changed. Remove the child in an earlier \`pulumi up\`, or reset a branch without children.`,
    );
}

/**
 * The stack's `allowRestart` counts for an endpoint that the engine has not asked about yet, or that another client added: in an update, the
 * engine asks about the endpoints only after the reset.
 * @param endpoints of the project
 * @throws Error when `allowRestart` is false for an active endpoint on the branch
 */
export function checkDrops(core: ProviderCore, branchId: string, endpoints: readonly Endpoint[]): void {
  const { endpoint } = core.claims;
  const inputsOf = (id: string) => endpoint.recordOf(id).declared?.inputs;
  const dropped = endpoints.find(
    (each) => each.branch_id === branchId && isUp(each) && !core.allowsRestart(inputsOf(each.id) ?? {}),
  );
  if (!dropped) return;
  const { restarts } = core.config.names;
  const permit = inputsOf(dropped.id) ? 'set allowRestart: true on it' : `use ${restarts}`;
  throw new Error(
    `allowRestart is false, and the reset of branch ${branchId} drops the connections of endpoint ${nameOf(endpoint, dropped.id)}. Nothing was reset. To continue, ${permit}, or reset the branch while the compute is idle.`,
  );
}

/** Such as `ep-1 (api)`. */
function nameOf(claims: { ownerOf(id: string): string | undefined }, id: string): string {
  return describeNamed(id, claims.ownerOf(id));
}
