import { expect, it } from 'vitest';
import { collectWords, toLimit, toTimeoutSeconds } from './options';

it('words come from commas and from repeated options alike', () => {
  expect(collectWords('failed, In progress,', collectWords('running'))).toEqual([
    'running',
    'failed',
    'In progress',
  ]);
});

it('an option without a word is refused', () => {
  expect(() => collectWords(' ,')).toThrow('It must name at least one.');
});

it.each(['0', '-1', '1.5', 'ten', '', '1e3'])('a limit of "%s" is refused', (text) => {
  expect(() => toLimit(text)).toThrow('It must be a whole number above 0.');
});

it.each(['0', '-1', 'soon', ' ', 'NaN', '86401'])('a time-out of "%s" is refused', (text) => {
  expect(() => toTimeoutSeconds(text)).toThrow('It must be a number of seconds above 0, at most 86400.');
});

it('a time-out may be a part of a second', () => {
  expect(toTimeoutSeconds('0.5')).toBe(0.5);
});
