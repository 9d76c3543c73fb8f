import { describe, expect, it } from 'vitest';
import { markSecrets, unmarkSecrets } from './secret-marks';

/** As the engine marks a secret. */
const secret = (value: unknown) => ({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  value,
});

describe('markSecrets', () => {
  it('marks the named properties as the engine does, and no others', () => {
    const properties = { name: 'canary', type: 'read_only' };
    expect(markSecrets(properties, ['name'])).toEqual({ ...properties, name: secret('canary') });
  });

  it('marks nothing when no property is named', () => {
    expect(markSecrets({ name: 'api' })).toEqual({ name: 'api' });
  });
});

describe('unmarkSecrets', () => {
  it('returns the values without marks, and the names of the secret ones', () => {
    const marked = {
      name: secret('canary'),
      pgSettings: { work_mem: '4MB', 'app.token': secret('canary') },
      list: [1, secret(secret('twice'))],
      type: 'read_only',
    };
    expect(unmarkSecrets(marked)).toEqual({
      values: {
        name: 'canary',
        pgSettings: { work_mem: '4MB', 'app.token': 'canary' },
        list: [1, 'twice'],
        type: 'read_only',
      },
      secretNames: ['name', 'pgSettings', 'list'],
    });
  });

  it('leaves an object alone that only resembles a mark', () => {
    const values = { pgSettings: { '4dabf18193072939515e22adb298388d': 'other', value: 'x' } };
    expect(unmarkSecrets(values)).toEqual({ values, secretNames: [] });
  });
});
