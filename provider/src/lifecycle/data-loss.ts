import type { Place } from './create-failures';
import { replacedByOption } from './forced-replacement';
import { type InputFailure, isUnknown } from './input-values';
import type { ProviderCore } from './provider-core';
import type { Declared, Properties, Resource } from './resource-identity';
import type { Prior } from './resource-state';

/** The data that a replacement of this type of resource deletes. The program has to allow that. */
export interface Loss {
  readonly kind: 'branch' | 'database';
  /** The argument that names the branch with which it may be replaced. */
  readonly place: Place;
  /** Such as `deletes the data of branch br-1`. @param isRetained whether `retainOnDelete` leaves the old one at the service */
  readonly describe: (which: string, isRetained: boolean, resource: Resource) => string;
}

const bases: Readonly<Record<Place, string>> = { branchId: 'its branch', parentId: 'its parent' };

type Losing = Declared<{
  readonly projectId: string;
  readonly branchId?: string;
  readonly allowDataLoss?: boolean;
}>;

/**
 * Why a replacement that no diff has judged must stop; a warning if it may go on. For a resource option, the engine calls check twice,
 * and diff finds no reason. For a replaced base, diff has warned about the old inputs; the new program may have removed allowDataLoss.
 */
export async function findUnjudgedLoss(
  core: ProviderCore,
  { kind, place, describe }: Loss,
  declaration: Losing,
): Promise<InputFailure[]> {
  const claims = core.claims[kind];
  const base = bases[place];
  const { urn } = declaration.resource;
  const { allowDataLoss, projectId, branchId = '' } = declaration.inputs;
  const { idInState = '' } = claims.resource(urn);
  const by = claims.findUnjudged(urn);
  if (by === undefined || isUnknown(allowDataLoss) || (allowDataLoss && by === 'base')) return [];
  // After an interrupted replacement the old one no longer exists, so there is no data to lose.
  const isCutOff = by === 'option' && idInState !== '' && !isUnknown(projectId);
  if (isCutOff) {
    const project = core.projects.project(projectId);
    const find = async () => (await project.list(kind, branchId).find(idInState)) ?? 'gone';
    const found = allowDataLoss
      ? await core.glimpse(declaration, project, `the ${kind}`, find)
      : await find();
    if (found === 'gone') return [];
  }
  const [cause, wayOut] =
    by === 'base'
      ? [`${base} is replaced`, `leave ${base} as it was`]
      : [replacedByOption, 'leave the option out'];
  const consequence = describe(`the ${kind}`, isKept(core, kind, urn), declaration.resource);
  if (allowDataLoss) {
    await core.warn(declaration, [`${consequence}: ${cause}`]);
    return [];
  }
  const reason = `allowDataLoss is not true, and this ${consequence}: ${cause}. To continue, set allowDataLoss: true; to keep the data, ${wayOut}.`;
  return [{ property: '', reason }];
}

/** Whether `retainOnDelete` keeps the data. A database goes with its branch all the same. @param at its branch, if that is known */
function isKept({ claims }: ProviderCore, kind: Loss['kind'], urn: string | undefined, at?: unknown) {
  const replaced = claims.branch.isReplaced(String(at)) ? String(at) : undefined;
  const { base = replaced } = claims[kind].resource(urn);
  const goesWithBranch = kind === 'database' && base !== undefined && !claims.branch.isLeft(base);
  return claims[kind].isRetained(urn) && !goesWithBranch;
}

/** What a preview reports while a value is not known yet: only `pulumi up` can refuse the change. */
export function describeUncertain(consequence: string, isForbidden: boolean): string {
  const gate = isForbidden ? '. If it changes, `pulumi up` fails, because allowDataLoss is not true' : '';
  return `${consequence}, unless the value stays the same${gate}`;
}

/**
 * What the preview reports about a replacement, and whether the replacement is certain.
 * @param find what it would delete, at the service: an interrupted replacement or another client may have deleted it, and another run
 *   may have created it just now
 * @throws Error when it is certain, and `allowDataLoss` does not permit it
 */
export async function judgeLoss(
  core: ProviderCore,
  { kind, place, describe }: Loss,
  id: string,
  replaces: readonly string[],
  { outputs }: Prior<object, Properties>,
  news: Losing,
  find: () => Promise<unknown>,
) {
  const claims = core.claims[kind];
  const { inputs, resource } = news;
  const { allowDataLoss } = inputs;
  const isKnown = (name: string) => !isUnknown(inputs[name as keyof typeof inputs]);
  // Where the new base comes first, the engine passes the declaration before it calls diff.
  const isEarly = claims.isAskedEarly(news);
  const goesWithBase = isEarly || core.claims.branch.isReplaced(String(outputs[place]));
  const isCertain = replaces.some(isKnown) || goesWithBase;
  const changed = replaces.join(' and ');
  // In a targeted destroy, the engine asks the same as if another provider replaced what this one depends on.
  const isOther = isEarly && claims.resource(resource.urn).base === undefined;
  const base = isOther ? 'what it depends on' : bases[place];
  const [cause, kept] = goesWithBase
    ? [`${base} is ${isOther ? 'deleted or ' : ''}replaced`, base]
    : [`a change of ${changed}`, changed];
  const deletesData = !isKept(core, kind, resource.urn, outputs[place]);
  const consequence = `${describe(`${kind} ${id}`, !deletesData, resource)}: ${cause}`;
  if (!isCertain)
    return { isCertain, deletesData, warning: describeUncertain(consequence, allowDataLoss !== true) };
  const isGone = (await find().catch(() => true)) === undefined;
  if (isGone)
    return {
      isCertain: false,
      deletesData: false,
      warning: `${kind} ${id} no longer exists: there is no data to lose`,
    };
  if (allowDataLoss === true) return { isCertain, deletesData, warning: consequence };
  const alone = isOther ? ', or in a `pulumi destroy`, first delete this one alone, with --target' : '';
  const wayOut = isEarly
    ? `apply allowDataLoss: true in an earlier \`pulumi up\`${alone}`
    : 'set allowDataLoss: true';
  throw new Error(
    `allowDataLoss is not true, and this ${consequence}. Nothing was changed. To continue, ${wayOut}; to keep the data, leave ${kept} as it was.`,
  );
}
