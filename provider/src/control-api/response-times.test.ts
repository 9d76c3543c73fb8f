import { describe, expect, it } from 'vitest';
import { ResponseTimes } from './response-times';

describe('ResponseTimes', () => {
  it.each([
    ['three slow responses in a row are a rise', [100, 3_000, 3_000, 3_000], [3]],
    ['a single slow response is none', [100, 9_000, 100, 9_000, 100, 9_000], []],
    ['a time that is usual on the route is none', [9_000, 9_000, 9_000, 9_000], []],
    ['a multiple of a very short time is none', [1, 500, 500, 500], []],
    ['a rise counts once', [100, 3_000, 3_000, 3_000, 3_000, 3_000, 3_000], [3]],
    ['a further rise counts again', [100, 3_000, 3_000, 3_000, 20_000, 20_000, 20_000], [3, 6]],
    [
      'after a faster response, a rise counts again',
      [100, 3_000, 3_000, 3_000, 100, 3_000, 3_000, 3_000],
      [3, 7],
    ],
  ])('%s', (_title, tookMs, rises) => {
    const times = new ResponseTimes();
    expect(tookMs.flatMap((ms, index) => (times.note(ms) ? [index] : []))).toEqual(rises);
  });
});
