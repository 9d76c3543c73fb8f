import { expect, it } from 'vitest';
import { isSameSettings } from './pg-settings';

it.each([
  ['64MB', '65536kB'],
  ['65536', '64MB'],
  ['1min', '60s'],
  ['60000', '1min'],
  ['on', 'true'],
  ['1', 'on'],
  ['no', 'off'],
  ['UTF8', 'utf8'],
  ['"$user", public', '"$user",public'],
  ['1.0', '1'],
])('takes %s and %s for the same setting', (desired, reported) => {
  expect(isSameSettings({ work_mem: desired }, { work_mem: reported })).toBe(true);
  expect(isSameSettings({ work_mem: reported }, { work_mem: desired })).toBe(true);
});

it.each([
  ['64MB', '32MB'],
  ['64MB', '64kB'],
  ['1min', '1MB'],
  ['60', '61'],
  ['on', 'off'],
  ['public', 'private'],
])('tells %s from %s', (desired, reported) => {
  expect(isSameSettings({ work_mem: desired }, { work_mem: reported })).toBe(false);
});

it('takes names in any case, and settings that the service adds', () => {
  expect(isSameSettings({ Work_Mem: '4MB' }, { work_mem: '4MB', log_timezone: 'UTC' })).toBe(true);
});

it('misses a setting that the service does not report', () => {
  expect(isSameSettings({ work_mem: '4MB' }, { log_timezone: 'UTC' })).toBe(false);
});
