import { expect, it } from 'vitest';
import { databaseType } from './database-type';
import { pathOf } from './named-resource';
import type { NamedOutputs } from './named-type';
import { roleType } from './role-type';

const at = { projectId: 'p-1', branchId: 'br-1', ownerName: 'app_owner' };
const service = 'must not be a name that the service or Postgres reserves: ';

it.each([
  ['role', 'pg_read', `${service}pg_*, cloud_admin, neon_superuser, zenith_admin, public, none`],
  ['role', 'public', service],
  ['role', '', 'must be 1 to 63 bytes'],
  ['role', 'é'.repeat(32), 'must be 1 to 63 bytes'],
  ['database', 'template0', `${service}postgres, template0, template1`],
  ['database', 'é'.repeat(32), 'must be 1 to 63 bytes'],
])('a %s is refused with the name "%s"', (kind, name, reason) => {
  const { ownerName, ...ofRole } = at;
  const [type, given] =
    kind === 'role' ? [roleType.type, ofRole] : [databaseType.type, { ...ofRole, ownerName }];
  const failures = type.findInputFailures({ ...given, name });
  expect(failures).toEqual([{ property: 'name', reason: expect.stringContaining(reason) }]);
});

it('after a rename, the path comes from the outputs, not from the id', () => {
  const [resource, inputs] = [{}, { projectId: 'p', branchId: 'br-1', name: 'b' }];
  // A create whose outcome is not known has left no time of creation.
  const outputs = { ...inputs, __schemaVersion: 2 } as NamedOutputs;
  expect(pathOf({ resource, inputs, outputs }, 'p/br-1/a')).toBe('p/br-1/b');
});
