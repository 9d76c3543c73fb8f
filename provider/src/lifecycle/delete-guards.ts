import type { Endpoint } from '../control-api/wire-types';
import { listChildren } from './children';
import { describeSubject, ifKept, type Subject } from './resource-errors';
import type { Resource } from './resource-identity';
import { isUp } from './situation';

/** An endpoint on a branch that is about to be deleted, which the service deletes with it. */
export interface StandingEndpoint {
  readonly endpoint: Endpoint;
  /** The resource of this program that keeps it, or is to adopt it. */
  readonly keeper: string | undefined;
}

/** Everything that a delete is judged by, gathered right before its request. */
export interface DeleteFacts {
  readonly subject: Subject;
  /** Whether it loses data that no diff has reported: the engine calls none for what leaves the program or is replaced by force. */
  readonly losesData?: boolean;
  /** Whether the resource may still use it, because its replacement is not complete. */
  readonly isIncomplete?: boolean;
  /** The argument that must be true because the program has another resource in its place, and is not. */
  readonly unallowed?: 'allowDataLoss' | 'allowRestart' | undefined;
  /** The resource that is to adopt it, and has not. */
  readonly adopter?: string | undefined;
  /** Why the create of its replacement is bound to fail. */
  readonly obstacle?: string | undefined;
  /** Why the branch with which it is replaced can't be deleted. */
  readonly baseObstacle?: string | undefined;
  /** The branch, or that of the endpoint, if the service protects it. */
  readonly protectedBranch?: string | undefined;
  /** What the branch is, if the service never deletes such a branch. */
  readonly permanent?: 'the default branch of its project' | 'a root branch' | undefined;
  /** The endpoints on the branch, without those that this run deletes. @default none */
  readonly standing?: readonly StandingEndpoint[];
  /** The ids of the branches that were created from it. @default none */
  readonly children?: readonly string[];
  /** The roles and databases that the program declares on the branch. @default none */
  readonly named?: readonly string[];
  /** The ids that the diff of this run found on the branch; undefined if it did not list them. */
  readonly foreseen?: readonly string[] | undefined;
  /** Whether active endpoints may go with the branch: the stack's `allowRestart`. In a destroy they may. */
  readonly allowsRestart?: boolean;
}

type Guards = Readonly<Record<string, (facts: DeleteFacts) => string | undefined>>;

/** Why a branch must not be deleted, as far as a preview of its replacement can tell. The order matters. */
export const foreseenGuards: Guards = {
  // The state may not know yet that another client has protected it.
  'the branch is protected': ({ protectedBranch, subject }) =>
    protectedBranch &&
    `${describeSubject(subject)}: branch ${protectedBranch} is protected. The service deletes neither a protected branch nor its endpoints. It was not deleted. Set protected: false on the branch in an earlier \`pulumi up --refresh\`, or unprotect it at the service and run the command again with --refresh.`,
  'the service never deletes such a branch': ({ permanent, subject }) =>
    permanent &&
    `${describeSubject(subject)}: it is ${permanent}, which the service does not delete. It was not deleted. Leave it as it was. ${ifKept}.`,
  'this program keeps a role or a database on it': ({ subject, named = [] }) =>
    named.length > 0
      ? `${describeSubject(subject)}: ${named.join(', ')}, which this program keeps, would be deleted with the branch. It was not deleted. In an earlier \`pulumi up\`, remove what is to go from the program. If a change replaces the branch, you can instead set branchId to the id of the branch resource: what is on it is then replaced with it.`
      : undefined,
  'this program keeps an endpoint on it': ({ subject, standing = [] }) =>
    describeInTheWay(
      subject,
      standing.filter(({ keeper }) => keeper !== undefined),
      'which this program keeps, would be deleted with the branch',
      'In an earlier `pulumi up`, remove the endpoint from the program or move it to another branch. If a change replaces the branch, you can instead set branchId to the id of the branch resource: the endpoint is then replaced with it',
    ),
};

/** Every reason not to delete. The order matters. */
export const deleteGuards: Guards = {
  'its replacement is not complete': ({ isIncomplete, subject }) =>
    isIncomplete
      ? `${describeSubject(subject)}: its replacement is not complete, so the resource may still use it. It was not deleted. If it is left over, the next \`pulumi up\` deletes it.`
      : undefined,
  'an adopter has not taken it over': ({ adopter, subject }) =>
    adopter &&
    `${describeSubject(subject)}: ${adopter} is to adopt it, and has not taken it over. It was not deleted, and the old resource stays in state. Fix what stops the adoption, and run \`pulumi up\` again. If it only waits behind this delete (as with -p 1), name ${adopter} in \`dependsOn\` of this resource. To rename a resource, use \`aliases\` with the old name instead of adopt: nothing is then adopted or deleted.`,
  'the program has another resource in its place': ({ unallowed, subject }) =>
    unallowed &&
    `${describeSubject(subject)}: the program has another one in its place (by the resource option import, a lookup, or a replacement that was forced or interrupted), and ${unallowed} is not true. It was not deleted. To keep it, declare it under another Pulumi name, with adopt: true. To delete it, set ${unallowed}: true; after a lookup, delete it at the service.`,
  "its replacement can't be created": ({ obstacle, subject }) =>
    obstacle &&
    `${describeSubject(subject)}: its replacement could not be created, so it was not deleted: ${obstacle.replace(/\.$/, '')}.`,
  "the branch that is replaced with it can't be deleted": ({ baseObstacle, subject }) =>
    baseObstacle &&
    `${describeSubject(subject)}: it is replaced with its branch, which can't be deleted: ${baseObstacle}`,
  ...foreseenGuards,
  'a branch was created from it': ({ subject, children = [] }) =>
    children.length > 0
      ? `${describeSubject(subject)}: other branches were created from it: ${listChildren(children)}. It was not deleted. Delete them first.`
      : undefined,
  'an active endpoint is on it': ({ subject, allowsRestart, standing = [] }) =>
    describeInTheWay(
      subject,
      allowsRestart ? [] : standing.filter(({ endpoint }) => isUp(endpoint)),
      'would be deleted with the branch, and allowRestart is false',
      'Suspend the endpoint, move it or delete it first, or set allowRestart: true for the stack',
    ),
  'a foreign endpoint was added to it since': ({ subject, foreseen, standing = [] }) =>
    describeInTheWay(
      subject,
      foreseen ? standing.filter(({ endpoint }) => !foreseen.includes(endpoint.id)) : [],
      'added after this run first checked the branch, would be deleted with it',
      'Run the command again: its preview names the endpoint',
    ),
};

/** Why it must not be deleted; undefined when it may be. */
export function judgeDelete(facts: DeleteFacts, guards = deleteGuards): string | undefined {
  for (const guard of Object.values(guards)) {
    const reason = guard(facts);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** What a preview reports about the branches that were created from it, which the program may delete as well. */
export function describeChildren(children: readonly string[]): string | undefined {
  if (children.length === 0) return undefined;
  return `branches were created from it: ${listChildren(children)}. Unless this update deletes them first, \`pulumi up\` stops before it deletes anything`;
}

/** What to say before its request about its data. */
export function describeLoss({ losesData, subject: { kind, id } }: DeleteFacts): string | undefined {
  return losesData ? `deletes the data of ${kind} ${id}` : undefined;
}

/** What goes with the branch; undefined when nothing does. */
export function describeStanding(id: string, standing: readonly StandingEndpoint[] = [], unless = '') {
  if (standing.length === 0) return undefined;
  return `the service deletes the endpoints of branch ${id} with it${unless}: ${standing.map(describeEndpoint).join(', ')}`;
}

/** Where the new branch comes first, endpoints of the program move to it before the old one is deleted. */
export function unlessMoved({ createsBeforeDelete }: Resource): string {
  return createsBeforeDelete ? ', unless they move to the new one' : '';
}

function describeInTheWay(
  subject: Subject,
  standing: readonly StandingEndpoint[],
  consequence: string,
  now: string,
): string | undefined {
  if (standing.length === 0) return undefined;
  const which = standing.map(describeEndpoint).join(', ');
  return `${describeSubject(subject)}: endpoint ${which}, ${consequence}. It was not deleted. ${now}.`;
}

/** Without its name, which may be a secret of an earlier program. */
function describeEndpoint({ endpoint, keeper }: StandingEndpoint): string {
  const state = endpoint.pending_state ?? endpoint.current_state;
  return `${endpoint.id} (${endpoint.type}, ${state}${keeper === undefined ? '' : `, of ${keeper}`})`;
}
