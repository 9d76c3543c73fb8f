import { describe, expect, it } from 'vitest';
import { computeSizes, deriveSizeOutputs, describeSizeRange, findComputeSize } from './compute-size';

describe('the size table', () => {
  it.each(computeSizes)('gives $cu CU one vCPU and 4 GB of RAM per CU', ({ cu, vcpu, ramGb }) => {
    expect({ vcpu, ramGb }).toEqual({ vcpu: cu, ramGb: 4 * cu });
  });

  it.each([
    [0.25, 0.8, 112],
    [0.5, 1.6, 225],
    [1, 3.2, 450],
    [2, 6.4, 901],
    [3, 9.6, 1351],
    [4, 12.8, 1802],
    [5, 16, 2253],
    [6, 19.2, 2703],
    [7, 22.4, 3154],
    [8, 25.6, 3604],
  ])('gives %d CU a local file cache of %d GB and %d connections', (cu, localFileCacheGb, maxConnections) => {
    expect(findComputeSize(cu)).toMatchObject({ localFileCacheGb, maxConnections });
  });
});

describe('deriveSizeOutputs', () => {
  it('describes both bounds', () => {
    expect(deriveSizeOutputs(1, 2)).toEqual({
      minSize: { vcpu: 1, ramGb: 4, localFileCacheGb: 3.2 },
      maxSize: { vcpu: 2, ramGb: 8, localFileCacheGb: 6.4 },
      maxConnections: 450,
      pooledMaxConnections: 10_000,
    });
  });

  it('omits the cache and max_connections of an unlisted size', () => {
    expect(deriveSizeOutputs(16, 16)).toEqual({
      minSize: { vcpu: 16, ramGb: 64 },
      maxSize: { vcpu: 16, ramGb: 64 },
      pooledMaxConnections: 10_000,
    });
  });
});

it('describeSizeRange names a fixed size once, a range by its bounds', () => {
  expect([describeSizeRange(1, 1), describeSizeRange(0.25, 2)]).toEqual(['1 CU', '0.25 to 2 CU']);
});
