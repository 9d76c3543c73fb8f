import * as pulumi from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ComputeEndpointArgs } from './compute-endpoint-args';
import { ComputeEndpoint } from './plugin-compute-endpoint';

const args = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' } as const;

beforeEach(async () => {
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({ newResource: () => ({ id: 'ep-1', state: {} }), call: () => ({}) });
});

/** The option `customTimeouts` with which the program registers an endpoint. */
function customTimeoutsOf(
  timeouts: ComputeEndpointArgs['timeouts'],
  opts?: pulumi.CustomResourceOptions,
): pulumi.CustomTimeouts | undefined {
  const { options } = Registered.of({ ...args, ...(timeouts && { timeouts }) }, opts);
  return options?.customTimeouts;
}

/** Makes what the class hands to the engine visible. */
class Registered extends ComputeEndpoint {
  static of(given: ComputeEndpointArgs, opts?: pulumi.CustomResourceOptions) {
    return ComputeEndpoint.toRegistration.call(Registered, 'api', given, opts);
  }
}

describe('timeouts of the plugin', () => {
  it('become the resource option, which overrides them one by one', () => {
    const opts = { customTimeouts: { update: '5m' } };
    expect(customTimeoutsOf({ create: 900, update: 60 }, opts)).toEqual({ create: '900s', update: '5m' });
  });

  it('may be left out or undefined, as a setting that the config does not hold is', () => {
    expect(customTimeoutsOf(undefined)).toBeUndefined();
    expect(customTimeoutsOf({ create: undefined, update: 60 } as object)).toEqual({ update: '60s' });
  });

  it.each([0, -1, Number.NaN, 86_401])('of %d seconds are refused', (create) => {
    expect(() => customTimeoutsOf({ create })).toThrow(
      /timeouts: create must be a number of seconds above 0, at most 86400/,
    );
  });

  it('that are not known yet are refused', () => {
    expect(() => customTimeoutsOf({ create: pulumi.output(3) })).toThrow('must be plain numbers of seconds');
  });
});
