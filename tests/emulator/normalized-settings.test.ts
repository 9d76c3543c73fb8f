import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

const normalized = { normalizeSettings: true };
const settingsOf = (pg_settings: Record<string, string>) => ({ settings: { pg_settings } });

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
  ])('%s = %s is held as %s = %s', async (name, value, heldName, heldValue) => {
    const { call, endpoints, createActive, held } = await startService(normalized);
    const id = await createActive();
    const answer = await call('PATCH', `${endpoints}/${id}`, { endpoint: settingsOf({ [name]: value }) });
    const expected = { pg_settings: { log_timezone: 'UTC', [heldName]: heldValue } };
    expect([answer.body?.endpoint.settings, held(id)?.settings]).toEqual([expected, expected]);
  });

  it('a create is normalized, and one without settings has none', async () => {
    const { create, settled } = await startService(normalized);
    const written = await create(settingsOf({ work_mem: '8MB' }));
    expect(written.body?.endpoint.settings).toEqual({
      pg_settings: { log_timezone: 'UTC', work_mem: '8192kB' },
    });
    await settled();
    const bare = await create({ type: 'read_only' });
    expect(bare.body?.endpoint.settings).toEqual({ pg_settings: {} });
  });

  it('what is held is no difference in either form', async () => {
    const { call, endpoints, createActive, settled, held } = await startService(normalized);
    const written = settingsOf({ work_mem: '64MB', log_timezone: 'CET' });
    const id = await createActive(written);
    for (const endpoint of [written, { settings: held(id)?.settings }]) {
      const answer = await call('PATCH', `${endpoints}/${id}`, { endpoint });
      expect([answer.status, actionsOf(answer)]).toEqual([200, []]);
      await settled();
    }
    expect(held(id)?.settings.pg_settings).toEqual({ work_mem: '65536kB', log_timezone: 'CET' });
  });

  it('changes from behind are normalized too', async () => {
    const { emulator, createActive } = await startService(normalized);
    const id = await createActive();
    expect(emulator.changeEndpoint(id, settingsOf({ jit: '1' })).settings.pg_settings).toMatchObject({
      jit: 'on',
    });
  });
});

it('without normalizeSettings, settings are held as written', async () => {
  const { createActive, held } = await startService();
  const id = await createActive(settingsOf({ Work_Mem: '64MB' }));
  expect(held(id)?.settings).toEqual({ pg_settings: { Work_Mem: '64MB' } });
});
