import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { type EndpointInputs, unknownValue } from '../endpoint/endpoint-inputs';
import { toOutputs } from '../endpoint/endpoint-state';
import { previewCreate, previewUpdate } from './preview-outputs';

/** A program that declares only the required arguments. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

describe('the outputs in a preview', () => {
  it('of a create without a size know what does not depend on it', () => {
    expect(previewCreate(least)).toMatchObject({
      maxConnections: unknownValue,
      pooledMaxConnections: 10_000,
    });
  });

  it('of an update to a size that the table does not list hold no max_connections, as the outputs of the update', () => {
    const prior = { resource: {}, inputs: declared, outputs: toOutputs(endpointOf(), declared) };
    const unlisted = { autoscalingLimitMinCu: 1.5, autoscalingLimitMaxCu: 1.5, allowUnlistedSize: true };
    expect(prior.outputs).toHaveProperty('maxConnections');
    expect(previewUpdate(prior, { ...declared, ...unlisted })).not.toHaveProperty('maxConnections');
  });
});
