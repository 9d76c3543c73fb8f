import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameSettings } from './pg-settings';

describe('isSameSettings', () => {
  it.each([
    ['a value and itself', '64MB', '64MB'],
    ['megabytes and kilobytes', '64MB', '65536kB'],
    ['gigabytes and megabytes', '1.5GB', '1536MB'],
    ['terabytes and gigabytes', '1TB', '1024GB'],
    ['bytes and kilobytes', '2048B', '2kB'],
    ['megabytes and a number of kilobytes', '64MB', '65536'],
    ['megabytes and a number of blocks of 8 kB', '64MB', '8192'],
    ['megabytes and a number of megabytes', '64MB', '64'],
    ['megabytes and a number of bytes', '64MB', '67108864'],
    ['minutes and seconds', '1min', '60s'],
    ['days and hours', '1d', '24h'],
    ['milliseconds and microseconds', '1.5ms', '1500us'],
    ['minutes and a number of milliseconds', '1min', '60000'],
    ['minutes and a number of seconds', '1min', '60'],
    ['minutes and a number of minutes', '5min', '5'],
    ['a number separated from its unit', '64 MB', '64MB'],
    ['a fraction that has no binary form', '4.1s', '4100ms'],
    ['no limit, with and without a fraction', '-1', '-1.0'],
    ['numbers with and without a fraction', '1.0', '1'],
    ['numbers with and without a trailing zero', '0.50', '0.5'],
    ['on and true', 'on', 'true'],
    ['on and yes', 'on', 'yes'],
    ['on and 1', 'on', '1'],
    ['off and false', 'off', 'false'],
    ['off and no', 'off', 'no'],
    ['off and 0', 'off', '0'],
    ['words in another case', 'UTF8', 'utf8'],
    ['switches in another case', 'ON', 'True'],
    ['lists with and without spaces', '"$user", public', '"$user",public'],
  ])('treats %s as the same setting', (_what, desired, reported) => {
    expect(isSameSettings({ setting: desired }, { setting: reported })).toBe(true);
    expect(isSameSettings({ setting: reported }, { setting: desired })).toBe(true);
  });

  it.each([
    ['another size', '64MB', '32MB'],
    ['another unit', '64MB', '64kB'],
    ['a unit of another kind', '1min', '1MB'],
    ['another number', '60', '61'],
    // Two numbers without a unit have the same implicit unit.
    ['a number that would fit with another unit', '65536', '64'],
    ['a size that matches no implicit unit', '64MB', '63'],
    ['the other position of a switch', 'on', 'off'],
    ['the other number of a switch', '1', '0'],
    ['a number that is not a switch', 'on', '2'],
    ['another word', 'public', 'private'],
    ['a unit that Postgres does not know', '64XB', '64MB'],
    ['the name of an inherited property', 'constructor', 'toString'],
    ['a number with an inherited property for its unit', '1constructor', '1toString'],
    ['an empty text', 'on', ''],
  ])('treats %s as a different setting', (_what, desired, reported) => {
    expect(isSameSettings({ setting: desired }, { setting: reported })).toBe(false);
    expect(isSameSettings({ setting: reported }, { setting: desired })).toBe(false);
  });

  it('equates tenths of a second with hundreds of milliseconds', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (tenths) => {
        const desired = { statement_timeout: `${Math.floor(tenths / 10)}.${tenths % 10}s` };
        expect(isSameSettings(desired, { statement_timeout: `${tenths * 100}ms` })).toBe(true);
      }),
    );
  });

  it('ignores the case of names', () => {
    expect(isSameSettings({ Work_Mem: '4MB' }, { work_mem: '4MB' })).toBe(true);
    expect(isSameSettings({ datestyle: 'ISO' }, { DateStyle: 'ISO' })).toBe(true);
  });

  it('ignores settings that the service adds', () => {
    expect(isSameSettings({ work_mem: '4MB' }, { work_mem: '4MB', log_timezone: 'UTC' })).toBe(true);
    expect(isSameSettings({}, { log_timezone: 'UTC' })).toBe(true);
  });

  it('is false when the service does not report a setting', () => {
    expect(isSameSettings({ work_mem: '4MB' }, { log_timezone: 'UTC' })).toBe(false);
    expect(isSameSettings({ work_mem: '4MB' }, {})).toBe(false);
  });

  it('compares each of several settings', () => {
    const desired = { work_mem: '4MB', jit: 'off' };
    expect(isSameSettings(desired, { jit: 'false', work_mem: '4096kB' })).toBe(true);
    expect(isSameSettings(desired, { jit: 'on', work_mem: '4096kB' })).toBe(false);
  });
});
