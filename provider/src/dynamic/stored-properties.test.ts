import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { toOutputs } from '../endpoint/endpoint-state';
import { endpointType } from '../endpoint/endpoint-type';
import { unknownValue } from '../lifecycle/input-values';
import { readDeclaration, readState, writeInputs, writeOutputs } from './stored-properties';

/** A program that declares only the required arguments. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

const resource = {
  urn: 'urn:pulumi:prod::shop::api',
  organization: 'acme',
  createsBeforeDelete: true,
  replaces: 'shop-prod-api-1a2b3c4d',
  secretNames: ['pgSettings'],
};

const passed = { __provider: 'code', timeouts: { create: 60 } };

const hidden = {
  __urn: 'urn:pulumi:prod::shop::api',
  ...passed,
  __organization: 'acme',
  __createsBeforeDelete: true,
  __replaces: 'shop-prod-api-1a2b3c4d',
  __secrets: ['pgSettings'],
};

it('writeInputs hides what is no argument, and readDeclaration restores it', () => {
  const stored = writeInputs(endpointType, { resource, inputs: least }, passed);
  expect(stored).toEqual({ ...least, ...hidden });
  expect(readDeclaration(stored)).toEqual({ resource, inputs: least });
});

it('writeInputs omits unknown properties of the resource', () => {
  expect(writeInputs(endpointType, { resource: {}, inputs: least })).toEqual(least);
});

it('writeOutputs stores state that readState restores', () => {
  const declaration = { resource, inputs: declared };
  const outputs = toOutputs(endpointOf(), declared);
  const stored = writeOutputs(endpointType, declaration, outputs, passed);
  expect(stored).toMatchObject({ ...hidden, restartOnChange: 'size 0.25 to 1 CU', host: outputs.host });
  expect(readState(endpointType, stored)).toEqual({ resource, inputs: declared, outputs });
});

it('readState reads timeouts among the arguments that 0.1.0 stored', () => {
  const declaration = { resource, inputs: declared };
  const outputs = toOutputs(endpointOf(), declared);
  const stored = writeOutputs(endpointType, declaration, outputs, passed);
  const older = { ...stored, __declared: [...(stored.__declared ?? []), 'timeouts'] } as typeof stored;
  expect(readState(endpointType, older)).toEqual({ resource, inputs: declared, outputs });
});

describe('secrets in writeOutputs', () => {
  const marked = (value: unknown) => ({ '4dabf18193072939515e22adb298388d': expect.any(String), value });
  const outputs = toOutputs(endpointOf(), declared);
  const prior = { resource: { secretNames: ['pgSettings'] }, inputs: declared, outputs };

  it('keep their mark in state while the program does not give them', () => {
    const { pgSettings, ...inputs } = declared;
    // A refresh passes the names in state.
    for (const resource of [{}, prior.resource]) {
      const stored = writeOutputs(endpointType, { resource, inputs }, outputs, passed, prior);
      expect(stored).toMatchObject({ pgSettings: marked(pgSettings), __secrets: ['pgSettings'] });
    }
  });

  it('lose it when the program gives the same value in clear', () => {
    const stored = writeOutputs(endpointType, { resource: {}, inputs: declared }, outputs, passed, prior);
    expect(stored.pgSettings).toEqual(declared.pgSettings);
    expect(stored).not.toHaveProperty('__secrets');
  });

  it('mark what follows from a secret size; the engine marks the size itself', () => {
    const secretNames = ['autoscalingLimitMinCu'];
    const stored = writeOutputs(endpointType, { resource: { secretNames }, inputs: declared }, outputs);
    expect(stored).toMatchObject({
      minSize: marked(outputs.minSize),
      maxConnections: marked(outputs.maxConnections),
      maxSize: outputs.maxSize,
      autoscalingLimitMinCu: declared.autoscalingLimitMinCu,
    });
  });
});

it('readState separates declared values from those of the service', () => {
  const outputs = toOutputs(endpointOf(), least);
  const prior = readState(endpointType, writeOutputs(endpointType, { resource: {}, inputs: least }, outputs));
  expect([prior.inputs, prior.outputs.regionId]).toEqual([least, 'region']);
});

it('readState declares only projectId for an endpoint that is only read', () => {
  const { inputs } = readState(endpointType, toOutputs(endpointOf(), declared));
  expect(inputs).toEqual({ projectId: 'p-1' });
});

describe('restartOnChange', () => {
  const sizes = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 };
  const restartOnChangeOf = (inputs: object, secretNames: string[] = []) =>
    writeInputs(endpointType, { resource: { secretNames }, inputs: { ...least, ...inputs } }).restartOnChange;

  it.each([
    [0.25, 2, 'size 0.25 to 2 CU'],
    [1, 1, 'size 1 CU'],
  ])('describes the size from %d to %d CU', (autoscalingLimitMinCu, autoscalingLimitMaxCu, description) => {
    expect(restartOnChangeOf({ autoscalingLimitMinCu, autoscalingLimitMaxCu })).toBe(description);
  });

  it('never contains triggers, which may be secrets', () => {
    const restartTriggers = { password: 'canary' };
    expect(restartOnChangeOf({ ...sizes, restartTriggers })).toBe('size 0.25 to 2 CU');
    expect(restartOnChangeOf({ restartTriggers })).toBeUndefined();
    expect(restartOnChangeOf({ ...sizes, restartTriggers: unknownValue })).toBe('size 0.25 to 2 CU');
  });

  it('is absent when a size is a secret', () => {
    expect(restartOnChangeOf(sizes, ['autoscalingLimitMaxCu'])).toBeUndefined();
  });

  it('is unknown when a bound is unknown', () => {
    expect(restartOnChangeOf({ ...sizes, autoscalingLimitMinCu: unknownValue })).toBe(unknownValue);
  });

  it.each([{}, { autoscalingLimitMinCu: 1 }, { autoscalingLimitMaxCu: 1 }])(
    'is absent when the program declares no complete size: %j',
    (inputs) => {
      expect(restartOnChangeOf(inputs)).toBeUndefined();
    },
  );
});
