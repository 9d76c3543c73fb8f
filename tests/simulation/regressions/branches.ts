import type { BranchPlan } from '../scenario/branch-plan';
import type { Round } from '../scenario/scenario';
import { calls, cutAt, fails, hangs, isLate, isRefused, plan, type Regression } from './parts';

const branch: BranchPlan = {
  isDeclared: true,
  hasEndpoint: false,
  project: 0,
  parent: undefined,
  lsn: undefined,
  isSchemaOnly: false,
  name: undefined,
  isProtected: undefined,
  allowsDataLoss: true,
};
const named = { ...branch, name: 'a' } as const;
const others = { what: 'create a branch', slot: 0, type: 'read_only', name: 'a', forMs: 1_000 } as const;
const service = { operationMs: 100 };

const kill = (at: number) => cutAt(at, 'kill of CLI and host');

/** A round that declares one Branch, and no endpoint. */
const only = (declared: BranchPlan, more: Partial<Round> = {}): Partial<Round> => ({
  slots: [{ ...plan, isDeclared: false }],
  branches: [declared],
  ...more,
});
const withEndpoint = (parent: 'a' | undefined, more: Partial<Round> = {}): Partial<Round> => ({
  slots: [plan],
  branches: [{ ...branch, hasEndpoint: true, parent }],
  ...more,
});
const nothing = only({ ...branch, isDeclared: false });

export const branches: Readonly<Record<string, Regression>> = {
  'a branch is created once, whichever write a kill follows': {
    service,
    rounds: [1, 2, 3, 4].flatMap((at) => [
      only(branch, { mishap: kill(at) }),
      nothing,
      only(named, { mishap: kill(at) }),
      nothing,
    ]),
    seeds: 1,
  },
  'a branch is replaced by the next run after its creation has failed': {
    service,
    rounds: [only(branch, { faults: [fails('create_branch')] })],
    seeds: 1,
  },
  'a create keeps the id of a failed copy that it can not read': {
    service: {},
    rounds: [
      only(
        { ...branch, isProtected: true },
        {
          mishap: kill(1),
          isRepeated: true,
          faults: [isLate(calls.branches, 2, 200), isRefused(calls.branches, 3), fails('create_branch')],
        },
      ),
    ],
  },
  'a branch is replaced with its endpoint, also when that is cut off': {
    service,
    rounds: [1, 2, 3, 4, 5, 6, 7, 8].flatMap((at) => [
      withEndpoint(undefined),
      withEndpoint('a', { mishap: kill(at) }),
    ]),
    seeds: 1,
  },
  'a branch is renamed and unprotected in place, also when that is cut off': {
    service,
    rounds: [1, 2, 3].flatMap((at) => [
      only({ ...named, isProtected: true }),
      only({ ...branch, name: 'b' }, { mishap: kill(at) }),
    ]),
    seeds: 1,
  },
  'a branch gives up its unfinished name also when a refresh comes between': {
    service,
    rounds: [only(branch, { faults: [hangs('create_branch')], refreshesBetween: true })],
    seeds: 1,
    scenario: { timeoutSeconds: 60 },
  },
  'a branch gives up its unfinished name also when the program drops its own': {
    service,
    rounds: [
      only(named, { faults: [hangs('create_branch')], isLeft: true }),
      only(branch, { command: 'refresh', isLeft: true }),
      only(branch),
    ],
    seeds: 1,
    scenario: { timeoutSeconds: 60 },
  },
  'another client has a branch of the declared name': {
    service: { ...service, lateListsMs: 500 },
    rounds: [1, 2, 3, 4, 5, 6, 7, 8].flatMap((at) => [
      only(named, { disturbances: [{ ...others, at, status: 'finished' }] }),
      nothing,
    ]),
    seeds: 1,
  },
};
