import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { toOutputs } from '../endpoint/endpoint-state';
import { unknownValue } from '../lifecycle/input-values';
import { previewCreate, previewUpdate } from './endpoint-type';

const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };
const prior = {
  resource: {},
  inputs: declared,
  outputs: { ...toOutputs(endpointOf(), declared), __unapplied: ['name'] as const },
};

describe('previewCreate', () => {
  it('knows the arguments and what follows from the sizes', () => {
    const size = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 };
    const outputs = previewCreate({ ...least, ...size });
    expect(outputs).toMatchObject({ ...least, ...size, maxConnections: 112, maxSize: { ramGb: 8 } });
    expect(outputs).toMatchObject({ host: unknownValue, regionId: unknownValue, pgSettings: unknownValue });
  });

  it('does not know what follows from sizes that the service chooses', () => {
    const outputs = { maxConnections: unknownValue, minSize: unknownValue, pooledMaxConnections: 10_000 };
    expect(previewCreate(least)).toMatchObject(outputs);
  });
});

describe('previewUpdate', () => {
  it('keeps what does not change, and shows what follows from a new size', () => {
    const inputs = { ...declared, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
    const { host, regionId } = prior.outputs;
    expect(previewUpdate(prior, inputs)).toMatchObject({ host, regionId, maxConnections: 450 });
  });

  it('shows the default of an argument that the program no longer gives', () => {
    const { suspendTimeoutSeconds: _, regionId: __, ...inputs } = declared;
    const outputs = previewUpdate(prior, inputs);
    expect(outputs).toMatchObject({ suspendTimeoutSeconds: 0, regionId: prior.outputs.regionId });
  });

  it('shows nothing unfinished, because the update settles it', () => {
    expect(previewUpdate(prior, declared)).not.toHaveProperty('__unapplied');
  });

  it('does not know what follows from a size that is not known yet', () => {
    const inputs = { ...declared, autoscalingLimitMaxCu: unknownValue } as unknown as EndpointInputs;
    expect(previewUpdate(prior, inputs)).toMatchObject({ maxSize: unknownValue });
  });

  it("of an unlisted size has no maxConnections, like the update's outputs", () => {
    const unlisted = { autoscalingLimitMinCu: 1.5, autoscalingLimitMaxCu: 1.5, allowUnlistedSize: true };
    expect(prior.outputs).toHaveProperty('maxConnections');
    expect(previewUpdate(prior, { ...declared, ...unlisted })).not.toHaveProperty('maxConnections');
  });

  it('drops a setting that the program no longer gives, like the update', () => {
    const { allowRestart: _, ...inputs } = declared;
    expect(previewUpdate(prior, inputs)).not.toHaveProperty('allowRestart');
  });
});
