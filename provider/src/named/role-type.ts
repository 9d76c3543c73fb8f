import type * as z from 'zod';
import { ControlApiError } from '../control-api/control-api-error';
import type { NamedAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import { triggers } from '../lifecycle/input-values';
import { ifKept } from '../lifecycle/resource-errors';
import type { NamedItem } from '../operations/service-project';
import { defineNamed, type NamedInputs, namedRows, toNamedShape } from './named-type';

/** resources/role-args.ts says what each argument means. */
const shape = {
  ...toNamedShape({
    pattern: /^(pg_.*|cloud_admin|neon_superuser|zenith_admin|public|none)$/s,
    names: 'pg_*, cloud_admin, neon_superuser, zenith_admin, public, none',
  }),
  passwordTriggers: triggers('gives the role a new password'),
};

export type RoleInputs = NamedInputs & {
  readonly passwordTriggers?: z.infer<typeof shape.passwordTriggers>;
};

/** A Postgres role, with its password. */
export const roleType = defineNamed<RoleInputs>({
  kind: 'role',
  shape,
  arguments: new ArgumentTable<RoleInputs, NamedItem, NamedAttributes, 'rotate'>({
    ...namedRows,
    // The service does not know them: a change gives the role a new password, and connections drop.
    passwordTriggers: { effect: 'rotate' },
  }),
  sent: ['passwordTriggers'],
  send: (api, role, _attributes, deadline) => api.resetPassword(role, deadline),
  changes: {
    passwordTriggers:
      'gives the role a new password and drops the connections of an active compute of its branch',
  },
  creation: 'the create drops the connections of an active compute of its branch',
  forced: 'gives it a new password, drops connections',
  again: 'with a new password',
  refusal: `A role that owns databases stays: delete them, or give them another owner, in an earlier \`pulumi up\`. To rename it or move it with them, set the resource option deleteBeforeReplace: false on it. If it is to go with its branch, the resource option \`deletedWith\` names the branch. ${ifKept}.`,
  password: {
    read: (api, role, deadline) =>
      api.revealPassword(role, deadline).catch((error: unknown) => {
        // The project stores no passwords, or the role has none.
        if (error instanceof ControlApiError && [412, 404].includes(error.status ?? 0)) return undefined;
        throw error;
      }),
    absence:
      'has no output password: the project stores no passwords, and no response has shown this one. A change of passwordTriggers gives it a new one',
  },
});
