import { expect, it } from 'vitest';
import { collectValues, toLimit, toTimeoutSeconds } from './options';

it('collects the values of repeated options and of comma-separated lists', () => {
  expect(collectValues('failed, In progress,', collectValues('running'))).toEqual([
    'running',
    'failed',
    'In progress',
  ]);
});

it('refuses a list without a value', () => {
  expect(() => collectValues(' ,')).toThrow('It must hold at least one value.');
});

it.each(['0', '-1', '1.5', 'ten', '', '1e3'])('refuses a limit of "%s"', (text) => {
  expect(() => toLimit(text)).toThrow('It must be a whole number above 0.');
});

it.each(['0', '-1', 'soon', ' ', 'NaN', '86401'])('refuses a time-out of "%s"', (text) => {
  expect(() => toTimeoutSeconds(text)).toThrow('It must be a number of seconds above 0, at most 86400.');
});

it('accepts a time-out below one second', () => {
  expect(toTimeoutSeconds('0.5')).toBe(0.5);
});
