import { expect, it } from 'vitest';
import { formatDuration as formatOnPage } from '../../emulator/console/formats';
import { formatDuration } from '../../provider/src/command/duration';

const second = 1_000;
const hour = 3_600 * second;

it.each([
  ...[0, 999.4, 999.6, 1_950, 2_340, 9_949, 9_960, 59.4 * second, 59.6 * second, 300 * second],
  ...[125 * second, 3_599.7 * second, 1.05 * hour, 23.999 * hour, 52 * hour],
])('the page of the emulator and the command show %d ms in the same words', (ms) => {
  expect(formatOnPage(ms)).toBe(formatDuration(ms));
});
