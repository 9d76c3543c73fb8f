import { filter } from 'lodash';
import { isUp } from './plan';
import type { ProviderCore } from './provider-core';
import { type Declared, describeNamed } from './resource-identity';

/**
 * What the program declares on a branch that this run is to reset, or was created from it. The engine asks about the branch and about
 * these in any order, so each diff calls this.
 * @throws Error when the reset drops connections that `allowRestart` protects, or moves a child of the program to another branch
 */
export async function checkReset(
  core: ProviderCore,
  declaration: Declared<{ readonly projectId: string }>,
  branchId: string,
): Promise<void> {
  const { branch, endpoint } = core.claims;
  if (branch.item(branchId).reset !== 'expected') return;
  const guarded = endpoint.idsOn(branchId).filter((id) => {
    const { declared } = endpoint.recordOf(id);
    return declared !== undefined && !core.allowsRestart(declared.inputs);
  });
  const endpoints = guarded.length > 0 ? await core.list(declaration, 'endpoints') : [];
  const dropped = endpoints.find((each) => guarded.includes(each.id) && isUp(each));
  if (dropped)
    throw new Error(
      `allowRestart is false, and the reset of branch ${branchId} drops the connections of endpoint ${nameOf(endpoint, dropped.id)}. Nothing was changed. To continue, set allowRestart: true on it, or reset the branch while the compute is idle.`,
    );
  const children = filter(await core.list(declaration, 'branches'), { parent_id: branchId });
  const declared = children.find(({ id }) => branch.recordOf(id).declared !== undefined);
  if (declared)
    throw new Error(
      `the reset of branch ${branchId} would move its child ${nameOf(branch, declared.id)}, which this program declares, to the branch that keeps the data. Nothing was changed. Remove the child in an earlier \`pulumi up\`, or reset a branch without children.`,
    );
}

/** Such as `ep-1 (api)`. */
function nameOf(claims: { ownerOf(id: string): string | undefined }, id: string): string {
  return describeNamed(id, claims.ownerOf(id));
}
