import { describe, expect, it } from 'vitest';
import { isUnknown, unknownValue } from '../lifecycle/input-values';
import { findInputFailures } from './endpoint-inputs';

const valid = { projectId: 'quiet-lake-1', branchId: 'br-1', type: 'read_write' };

describe('findInputFailures', () => {
  it('accepts the required arguments alone', () => {
    expect(findInputFailures(valid)).toEqual([]);
  });

  it.each([
    ['projectId', { projectId: undefined }, /required/],
    ['branchId', { branchId: undefined }, /required/],
    ['type', { type: undefined }, /required.*read_write or read_only/],
    ['type', { type: 'primary' }, /must be read_write or read_only/],
    ['projectId', { projectId: 'a/../b' }, /1 to 60 lower-case letters/],
    ['projectId', { projectId: '..' }, /1 to 60 lower-case letters/],
    ['branchId', { branchId: 'br-1/restart' }, /1 to 60 lower-case letters/],
    ['branchId', { branchId: '..' }, /1 to 60 lower-case letters/],
    ['branchId', { branchId: 'br%2e' }, /1 to 60 lower-case letters/],
    ['branchId', { branchId: 'br-1?a' }, /1 to 60 lower-case letters/],
    ['branchId', { branchId: '' }, /1 to 60 lower-case letters/],
    ['name', { name: '' }, /1 to 64 characters/],
    ['name', { name: 'n'.repeat(65) }, /1 to 64 characters/],
    [
      'autoscalingLimitMinCu',
      { autoscalingLimitMinCu: 0.3, autoscalingLimitMaxCu: 1 },
      /allowed are 0\.25, 0\.5, 1/,
    ],
    ['autoscalingLimitMaxCu', { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 9 }, /allowUnlistedSize/],
    ['autoscalingLimitMinCu', { autoscalingLimitMinCu: '1', autoscalingLimitMaxCu: 1 }, /must be a number/],
    [
      'autoscalingLimitMinCu',
      { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 1 },
      /not be above autoscalingLimitMaxCu$/,
    ],
    ['autoscalingLimitMaxCu', { autoscalingLimitMinCu: 1 }, /required when autoscalingLimitMinCu is given/],
    ['autoscalingLimitMinCu', { autoscalingLimitMaxCu: 1 }, /required when autoscalingLimitMaxCu is given/],
    [
      'autoscalingLimitMaxCu',
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 16, allowUnlistedSize: true },
      /at most 8 CU above/,
    ],
    [
      'autoscalingLimitMinCu',
      { autoscalingLimitMinCu: 0.1, autoscalingLimitMaxCu: 1, allowUnlistedSize: true },
      /^must be at least 0\.25 CU$/,
    ],
    ['suspendTimeoutSeconds', { suspendTimeoutSeconds: -2 }, /-1 \(never\).*604800/],
    ['suspendTimeoutSeconds', { suspendTimeoutSeconds: 604_801 }, /604800/],
    ['suspendTimeoutSeconds', { suspendTimeoutSeconds: 1.5 }, /604800/],
    ['pgSettings', { pgSettings: { max_connections: 5 } }, /max_connections must be text/],
    ['preloadLibraries', { preloadLibraries: { enabledLibraries: 'pgaudit' } }, /a list of names/],
    ['preloadLibraries', { preloadLibraries: { libraries: [] } }, /must be \{ useDefaults/],
    ['poolerEnabled', { poolerEnabled: 'yes' }, /true or false/],
    [
      'autoscalingLimit',
      { autoscalingLimit: 1 },
      /not an argument of a ComputeEndpoint; those are projectId,.*, in TypeScript also timeouts$/,
    ],
  ])('refuses an invalid %s: %j', (property, change, reason) => {
    const failures = findInputFailures({ ...valid, ...change });
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
  });

  it.each([
    [{ autoscalingLimitMinCu: 8, autoscalingLimitMaxCu: 8 }],
    [{ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 8 }],
    [{ autoscalingLimitMinCu: 16, autoscalingLimitMaxCu: 16, allowUnlistedSize: true }],
    [{ autoscalingLimitMinCu: 56, autoscalingLimitMaxCu: 56, allowUnlistedSize: true }],
    [{ suspendTimeoutSeconds: -1 }],
    [{ suspendTimeoutSeconds: 0 }],
    [{ suspendTimeoutSeconds: 1 }],
    [{ suspendTimeoutSeconds: 604_800 }],
    [{ pgSettings: {} }],
  ])('accepts %j', (change) => {
    expect(findInputFailures({ ...valid, ...change })).toEqual([]);
  });

  it.each(['projectId', 'type', 'autoscalingLimitMinCu', 'suspendTimeoutSeconds', 'pgSettings', 'disabled'])(
    'accepts a %s that is unknown until the update',
    (property) => {
      const sizes = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
      expect(findInputFailures({ ...valid, ...sizes, [property]: unknownValue })).toEqual([]);
    },
  );
});

it('isUnknown is true for a map with an unknown value', () => {
  expect([isUnknown({ work_mem: unknownValue }), isUnknown({ work_mem: '4MB' })]).toEqual([true, false]);
});
