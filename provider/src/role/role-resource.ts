import { pick } from 'lodash';
import type { RoleChange } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import { describeArguments, type Flow } from '../lifecycle/beginning';
import type { Work } from '../lifecycle/provider-core';
import type { Change, Resource } from '../lifecycle/resource';
import { schemaVersion, type Unsettled } from '../lifecycle/resource-state';
import { Run } from '../lifecycle/run';
import type { Situation } from '../lifecycle/situation';
import { type RoleItem, toRoleItem } from '../operations/service-project';
import type { RoleInputs, RoleOutputs } from './role-inputs';

/**
 * Every argument, and what its change does.
 * - `replace`: a new role takes the place of the old one.
 * - `rotate`: the role gets a new password, and connections drop.
 */
export const roleArguments = new ArgumentTable<RoleInputs, RoleItem, object, 'rotate'>({
  projectId: { effect: 'replace', read: ({ project_id }) => project_id },
  branchId: { effect: 'replace', read: ({ branch_id }) => branch_id },
  name: { effect: 'replace', read: ({ name }) => name },
  // The service does not know them.
  passwordTriggers: { effect: 'rotate' },
  adopt: { effect: 'none' },
});

/** What a create or an update works on. */
export interface RoleWork extends Work<RoleInputs> {
  readonly action: 'create' | 'update';
  readonly roleId: string;
  /** The password that the latest response has shown. */
  password?: string | undefined;
}

/** A new password is the one request that starts apply_config, so it also repeats one that has failed. */
export const roleFlow: Flow<RoleInputs, RoleItem> = {
  arguments: roleArguments,
  isBlind: false,
  mayHavePast: () => false,
  effectsOf: (names) => (names.includes('passwordTriggers') ? ['config'] : []),
  repeatable: () => ['passwordTriggers'],
  isRecorded: () => true,
};

/** @param before the outputs in state, if the role is there */
function describeRole(work: RoleWork, before?: RoleOutputs): Resource<RoleItem, RoleOutputs> {
  const { inputs, project, roleId, deadline } = work;
  return {
    ...describeArguments(roleFlow, inputs, before),
    id: roleId,
    subject: work,
    work,
    list: project.roles(inputs.branchId),
    // The apply_config of a branch does not say whose role it is about.
    isOfResource: () => false,
    update: (names) => {
      if (!names.includes('passwordTriggers')) return undefined;
      return () => project.api.resetPassword(inputs, deadline).then(toChange(work));
    },
    control: () => Promise.reject(new Error('a role has no compute.')),
    isReset: () => false,
    checkGate: async () => {},
    isReady: () => true,
    toOutputs: (role, left, asked) => {
      const { passwordTriggers: _, ...others } = inputs;
      const known = asked.includes('passwordTriggers') ? before : inputs;
      const triggers = pick(known, 'passwordTriggers');
      return toOutputs(role, { ...others, ...triggers }, work.password ?? before?.password, left);
    },
  };
}

/** Notes the password of the response: later reads do not show it. */
export function toChange(work: Pick<RoleWork, 'project' | 'password'>) {
  return ({ role, operations }: RoleChange): Change<RoleItem> => {
    work.password = role.password ?? work.password;
    return { item: toRoleItem(work.project.id, role), operations };
  };
}

export function startRun(work: RoleWork, situation: Situation, before?: RoleOutputs) {
  return new Run(describeRole(work, before), situation);
}

/**
 * The outputs after a create, update or read.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs(
  role: RoleItem,
  inputs: RoleInputs,
  password: string | undefined,
  left: Unsettled = {},
): RoleOutputs {
  return {
    ...inputs,
    createdAt: role.created_at,
    ...(password !== undefined && { password }),
    ...left,
    __schemaVersion: schemaVersion,
  };
}
