import { describe, expect, it } from 'vitest';
import { unknownValue } from '../lifecycle/input-values';
import { branchArguments } from './branch-arguments';
import { type BranchInputs, findInputFailures } from './branch-inputs';
import type { BranchOutputs } from './branch-state';

const projectId = 'p-1';

function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

describe('findInputFailures of a Branch', () => {
  const zone = 'must be a point in time with a time zone';
  const triggers = { resetTriggers: { commit: 'a' } };

  it.each<[string, object, string]>([
    ['projectId', { projectId: 'A' }, 'must be the id of a project'],
    ['parentTimestamp', { parentTimestamp: 'yesterday' }, zone],
    ['parentTimestamp', { parentTimestamp: '2026-01-31T08:00:00' }, zone],
    ['parentLsn', { parentLsn: '12' }, 'must be a position in the log'],
    [
      'parentTimestamp',
      { parentLsn: '0/1', parentTimestamp: '2026-01-31T08:00:00Z' },
      'must not be given together with parentLsn',
    ],
    ['name', { adopt: true }, 'is required with adopt'],
    ['name', { name: '' }, 'must be 1 to 256 characters'],
    ['branchId', { branchId: 'br-1' }, 'is not an argument of a Branch; those are projectId, name, parentId'],
    ['restoreFrom', { restoreFrom: { timestamp: '2025-12-31T08:00:00Z', lsn: '0/1' } }, 'but not both'],
    ['restoreFrom', { restoreFrom: { timestamp: 'yesterday' } }, 'timestamp must be a point in time'],
    ['restoreFrom', { restoreFrom: { timestamp: '2099-01-01T00:00:00Z' } }, 'a timestamp in the past'],
    ['restoreFrom', { ...triggers, initSource: 'schema-only' }, 'needs a branchId'],
    ['preserveUnderName', { name: 'pr', preserveUnderName: 'pr' }, 'must differ from name'],
    ['preserveUnderName', { preserveUnderName: '' }, 'must be 1 to 256 characters'],
    ['resetTriggers', { resetTriggers: 'now' }, 'must be a map of values whose change resets the branch'],
    ['expiresAt', { expiresAt: inMinutes(-1) }, 'has passed'],
    ['expiresAt', { expiresAt: inMinutes(60 * 24 * 31) }, 'is too late'],
    ['expiresAt', { expiresAt: '2026-01-31' }, 'whole seconds with a time zone'],
    ['expiresAt', { expiresAt: inMinutes(60), protected: true }, 'must not be given with protected: true'],
    ['expiresAt', { expiresAt: unknownValue, protected: true }, 'must not be given with protected: true'],
  ])('refuses a wrong %s: %j', (property, args, reason) => {
    const failures = findInputFailures({ projectId, ...args });
    expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) }]);
  });
});

describe('the changes of a Branch', () => {
  it.each<[string, Partial<BranchInputs>, Partial<BranchInputs>, string[]]>([
    ['a name in another case', { name: 'pr-12' }, { name: 'PR-12' }, ['name']],
    ['a name that is the same instant', { name: '2026-01-31' }, { name: '2026-01-31T00:00:00Z' }, ['name']],
    ['another spelling of an LSN', { parentLsn: '0/1E88DF8' }, { parentLsn: '00/01e88df8' }, []],
    ...['0/1E88DF80', '10/1E88DF8', '1/E88DF8'].map(
      (parentLsn): [string, Partial<BranchInputs>, Partial<BranchInputs>, string[]] => [
        `the LSN ${parentLsn}`,
        { parentLsn: '0/1E88DF8' },
        { parentLsn },
        ['parentLsn'],
      ],
    ),
    [
      'another spelling of an instant',
      { parentTimestamp: '2026-01-31T08:00:00Z', expiresAt: '2026-02-28T00:00:00Z' },
      { parentTimestamp: '2026-01-31T09:00:00.000+01:00', expiresAt: '2026-02-28T00:00:00+00:00' },
      [],
    ],
    ['no point in time any more', { parentTimestamp: '2026-01-31T08:00:00Z' }, {}, []],
    // The state of an earlier release has no initSource.
    ['the data of the parent, as before', {}, { initSource: 'parent-data' }, []],
    ['only the schema', {}, { initSource: 'schema-only' }, ['initSource']],
  ])('%s', (_what, before, after, changes) => {
    const inputs = { projectId, ...before };
    const outputs = { ...inputs, createdAt: '', __schemaVersion: 1 } as BranchOutputs;
    expect(branchArguments.findChanges({ inputs, outputs }, { projectId, ...after })).toEqual(changes);
  });
});
