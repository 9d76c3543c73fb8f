import { describe, expect, it } from 'vitest';
import {
  copyAccess,
  firstAccess,
  newDatabase,
} from '../../emulator/src/control-plane/new-roles-and-databases';
import { accessOf, inheritAccess, inheritedIds } from '../../emulator/src/data-plane/roles-and-databases';

describe('the databases that a branch inherits', () => {
  it('keep their names, even if the parent deletes one before the copy', () => {
    const parent = firstAccess('br-parent', {}, '2026-01-01T00:00:00.000001Z');
    const more = newDatabase(
      'br-parent',
      { name: 'more', owner_name: 'app_owner' },
      '2026-01-01T00:00:00.000002Z',
    );
    parent.databases.push(more);
    const child = copyAccess(parent, 'br-child');
    const inCluster = accessOf(parent);
    const before = inheritAccess(inCluster, inheritedIds(parent, child));
    expect(before).toEqual(accessOf(child));

    parent.databases.shift();
    const after = inheritAccess(inCluster, inheritedIds(parent, child));
    const ofMore = String(child.databases[1]?.id);
    expect(after.databases[ofMore]?.name).toBe('more');
  });
});
