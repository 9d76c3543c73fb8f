import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';
import { type EndpointOutputs, toOutputs } from './endpoint-state';

/** A program that declares only the required arguments. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

describe('toOutputs', () => {
  it('omits attributes that change without an update', () => {
    const quiet = toOutputs(endpointOf(), declared);
    const busy = toOutputs(
      endpointOf({
        current_state: 'idle',
        pending_state: 'active',
        last_active: '2026-02-02T00:00:00Z',
        updated_at: 'x',
      }),
      declared,
    );
    expect(busy).toEqual(quiet);
  });

  it("contains the service's values for undeclared arguments", () => {
    const outputs = toOutputs(endpointOf(), least);
    expect(outputs).toMatchObject({
      regionId: 'region',
      autoscalingLimitMaxCu: 1,
    });
  });

  it('contains no undefined value, which the engine refuses', () => {
    const { name: _, ...nameless } = endpointOf();
    expect(Object.values(toOutputs(nameless, declared))).not.toContain(undefined);
  });

  it('contains the host for pooled connections', () => {
    expect(toOutputs(endpointOf(), declared).poolerHost).toBe('ep-1-pooler.region.example');
  });
});

describe('toOutputs of Postgres settings', () => {
  const settingsOf = (reported: Record<string, string>, desired: Record<string, string>) =>
    toOutputs(endpointOf({ settings: { pg_settings: reported } }), { ...declared, pgSettings: desired })
      .pgSettings;

  it('leaves out the settings that the service adds', () => {
    const desired = { work_mem: '64MB', jit: 'on' };
    expect(settingsOf({ ...desired, log_timezone: 'UTC' }, desired)).toBe(desired);
  });

  it('contains the reported settings when a setting differs', () => {
    const reported = { work_mem: '64MB', jit: 'off' };
    expect(settingsOf(reported, { work_mem: '64MB', jit: 'on' })).toEqual(reported);
  });

  it('contains the reported settings when the program declares none', () => {
    const outputs = toOutputs(endpointOf({ settings: { pg_settings: { work_mem: '64MB' } } }), least);
    expect(outputs.pgSettings).toEqual({ work_mem: '64MB' });
  });
});

describe('the outputs after a refresh', () => {
  const refresh = (endpoint: Endpoint, inputs: EndpointInputs, before: EndpointOutputs) =>
    endpointArguments.refresh(endpoint, inputs, before, (known) => toOutputs(endpoint, known));
  const withSettings = (pg_settings: Record<string, string>) => endpointOf({ settings: { pg_settings } });
  const before = toOutputs(withSettings({}), least);

  it('shows the settings of others when the program gives none', () => {
    const refreshed = refresh(withSettings({ work_mem: '8MB' }), least, before);
    expect(refreshed.pgSettings).toEqual({ work_mem: '8MB' });
  });

  it('keeps the settings of an unfinished update over its old inputs', () => {
    const pgSettings = { work_mem: '8MB', application_name: 'shop' };
    const inputs = { ...least, pgSettings: { work_mem: '8MB' } };
    const endpoint = withSettings({ ...pgSettings, log_timezone: 'UTC' });
    const refreshed = refresh(endpoint, inputs, { ...before, pgSettings });
    expect(refreshed.pgSettings).toEqual(pgSettings);
  });

  it('keeps them also when the inputs give none', () => {
    const pgSettings = { work_mem: '8MB' };
    const unfinished = { ...before, pgSettings, __ledger: { due: ['pgSettings'] } };
    const refreshed = refresh(withSettings(pgSettings), least, unfinished);
    expect(refreshed.pgSettings).toEqual(pgSettings);
  });

  it.each([
    ['all', {}],
    ['one', { jit: 'on' }],
  ])('shows what the service still has after an unfinished removal of %s', (_, pgSettings) => {
    const reported = { work_mem: '8MB', jit: 'on' };
    const unfinished = { ...before, pgSettings, __ledger: { due: ['pgSettings'] } };
    const refreshed = refresh(withSettings(reported), { ...least, pgSettings: reported }, unfinished);
    expect(refreshed.pgSettings).toEqual(reported);
  });
});
