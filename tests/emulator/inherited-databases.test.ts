import { describe, expect, it } from 'vitest';
import { copyAccess, firstAccess, newDatabase } from '../../emulator/src/control-plane/roles-and-databases';
import { inheritAccess, inheritedIds, isApplied } from '../../emulator/src/data-plane/apply-access';

describe('the databases that a branch inherits', () => {
  it('keep their names, even if the parent deletes one before the copy', () => {
    const parent = firstAccess(
      'br-parent',
      { database: 'app', role: 'app_owner' },
      '2026-01-01T00:00:00.000001Z',
    );
    const more = newDatabase(
      'br-parent',
      { name: 'more', owner_name: 'app_owner' },
      '2026-01-01T00:00:00.000002Z',
    );
    parent.databases.push(more);
    const child = copyAccess(parent, 'br-child');
    const [app, ofMore] = child.databases.map(({ id }) => id);
    const inCluster = {
      roles: Object.fromEntries(parent.roles.map(({ name, updated_at }) => [name, updated_at])),
      databases: Object.fromEntries(
        parent.databases.map(({ id, name, owner_name: owner }) => [id, { name, owner }]),
      ),
      oids: Object.fromEntries(parent.databases.map(({ id }, index) => [id, index])),
    };
    const before = inheritAccess(inCluster, inheritedIds(parent, child));
    expect(isApplied(before, child)).toBe(true);
    expect(before.oids).toEqual({ [Number(app)]: 0, [Number(ofMore)]: 1 });

    parent.databases.shift();
    const after = inheritAccess(inCluster, inheritedIds(parent, child));
    expect(after.databases[Number(ofMore)]?.name).toBe('more');
  });
});
