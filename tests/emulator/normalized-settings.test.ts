import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

const settingsOf = (pg_settings: Record<string, string>) => ({ settings: { pg_settings } });

/** A service that normalizes settings, with an active endpoint. */
async function startNormalized(attributes: object = {}) {
  const service = await startService({ normalizeSettings: true });
  const id = await service.createActive(attributes);
  const update = (endpoint: object) => service.call('PATCH', `${service.endpoints}/${id}`, { endpoint });
  return { ...service, id, update, held: () => service.held(id)?.settings };
}

describe('with normalizeSettings', () => {
  it.each([
    ['Work_Mem', '64MB', 'work_mem', '65536kB'],
    ['work_mem', '1 GB', 'work_mem', '1048576kB'],
    ['work_mem', '1.5GB', 'work_mem', '1572864kB'],
    ['work_mem', '0.3kB', 'work_mem', '0.3kB'],
    ['work_mem', '8mb', 'work_mem', '8mb'],
    ['statement_timeout', '1min', 'statement_timeout', '60s'],
    ['statement_timeout', '2h', 'statement_timeout', '7200s'],
    ['statement_timeout', '100ms', 'statement_timeout', '100ms'],
    ['enable_seqscan', 'True', 'enable_seqscan', 'on'],
    ['enable_seqscan', '0', 'enable_seqscan', 'off'],
    ['max_connections', '1', 'max_connections', '1'],
    ['log_connections', 'no', 'log_connections', 'off'],
    ['search_path', 'constructor', 'search_path', 'constructor'],
  ])('normalizeSettings stores %s = %s as %s = %s', async (name, value, heldName, heldValue) => {
    const { update, held } = await startNormalized();
    const response = await update(settingsOf({ [name]: value }));
    const expected = { pg_settings: { log_timezone: 'UTC', [heldName]: heldValue } };
    expect([response.body?.endpoint.settings, held()]).toEqual([expected, expected]);
  });

  it('normalizeSettings applies to a create', async () => {
    const { held, create } = await startNormalized(settingsOf({ work_mem: '8MB' }));
    expect(held()).toEqual({ pg_settings: { log_timezone: 'UTC', work_mem: '8192kB' } });
    const bare = await create({ type: 'read_only' });
    expect(bare.body?.endpoint.settings).toEqual({ pg_settings: {} });
  });

  it('writing normalized settings again, in either form, changes nothing', async () => {
    const written = settingsOf({ work_mem: '64MB', log_timezone: 'CET' });
    const { update, held, settled } = await startNormalized(written);
    for (const endpoint of [written, { settings: held() }]) {
      const response = await update(endpoint);
      expect([response.status, actionsOf(response)]).toEqual([200, []]);
      await settled();
    }
    expect(held()?.pg_settings).toEqual({ work_mem: '65536kB', log_timezone: 'CET' });
  });

  it('normalizeSettings applies to changes by a control', async () => {
    const { emulator, id } = await startNormalized();
    const changed = emulator.changeEndpoint(id, settingsOf({ jit: '1' }));
    expect(changed.settings.pg_settings).toMatchObject({ jit: 'on' });
  });
});

it('without normalizeSettings, settings are stored as written', async () => {
  const { createActive, held } = await startService();
  const id = await createActive(settingsOf({ Work_Mem: '64MB' }));
  expect(held(id)?.settings).toEqual({ pg_settings: { Work_Mem: '64MB' } });
});
