import * as z from 'zod';
import {
  findShapeFailures,
  flag,
  type InputFailure,
  id,
  isUnknown,
  textOfLength,
  triggers,
} from '../lifecycle/input-values';
import type { Declared } from '../lifecycle/resource-identity';
import { findComputeSize, listedSizes, maxAutoscalingRangeCu, smallestCu } from './compute-size';

const maxSuspendTimeoutSeconds = 604_800;

function text(allowed: string) {
  return z.string(`must be ${allowed}`).min(1, `must be ${allowed}`);
}

const size = z.number(`must be a number of compute units: ${listedSizes}`);
const suspendTimeoutAllowed = `-1 (never), 0 (the service's default, 300 s) or 1 to ${maxSuspendTimeoutSeconds} seconds (7 days)`;
const suspendTimeout = z
  .int(`must be ${suspendTimeoutAllowed}`)
  .min(-1, `must be ${suspendTimeoutAllowed}`)
  .max(maxSuspendTimeoutSeconds, `must be ${suspendTimeoutAllowed}`);

const librariesAllowed =
  'must be { useDefaults?: true or false, enabledLibraries?: a list of names of libraries }';
const libraries = z.strictObject(
  {
    useDefaults: z.boolean(librariesAllowed).optional(),
    enabledLibraries: z
      .array(z.string(librariesAllowed).min(1, librariesAllowed), librariesAllowed)
      .optional(),
  },
  librariesAllowed,
);
export type PreloadLibraries = z.infer<typeof libraries>;

/** What each argument may hold; resources/compute-endpoint-args.ts says what each means. */
export const inputShape = {
  projectId: id('project'),
  branchId: id('branch'),
  type: z.enum(['read_write', 'read_only'], 'must be read_write or read_only'),
  regionId: text('the id of a region'),
  name: textOfLength(64),
  autoscalingLimitMinCu: size,
  autoscalingLimitMaxCu: size,
  allowUnlistedSize: flag,
  suspendTimeoutSeconds: suspendTimeout,
  poolerEnabled: flag,
  poolerMode: text('a mode of the pooler: transaction'),
  pgSettings: z.record(
    z.string(),
    z.string('must be text: Postgres settings are given as strings'),
    'must be a map of Postgres settings',
  ),
  preloadLibraries: libraries,
  disabled: flag,
  passwordlessAccess: flag,
  provisioner: text('the name of a provisioner'),
  adopt: flag,
  allowRestart: flag,
  restartTriggers: triggers('restarts the compute'),
  waitForOperations: flag,
};

const required = {
  projectId: 'names the project that the branch belongs to',
  branchId: 'names the branch that the endpoint serves',
  type: 'is read_write or read_only',
};

type InputValues = { [Name in keyof typeof inputShape]: z.infer<(typeof inputShape)[Name]> };
type RequiredInput = keyof typeof required;

/** The arguments of a ComputeEndpoint as Pulumi passes them to a provider. */
export type EndpointInputs = Pick<InputValues, RequiredInput> & Partial<Omit<InputValues, RequiredInput>>;

/** An endpoint as the program declares it. */
export type Declaration = Declared<EndpointInputs>;

/** The names that a program may give. */
export type InputName = keyof typeof inputShape;

type RawInputs = Readonly<Record<string, unknown>>;

/** Everything wrong with the inputs, each with its property. Values that are not known yet are not judged. */
export function findInputFailures(inputs: RawInputs): InputFailure[] {
  const failures = findShapeFailures({ of: 'a ComputeEndpoint', shape: inputShape, required }, inputs);
  return failures.length > 0 ? failures : findSizeFailures(inputs);
}

function findSizeFailures(inputs: RawInputs): InputFailure[] {
  const bounds = ['autoscalingLimitMinCu', 'autoscalingLimitMaxCu'] as const;
  const given = bounds.filter((bound) => inputs[bound] !== undefined);
  if (given.length === 0) return [];
  const absent = bounds.find((bound) => inputs[bound] === undefined);
  if (absent) {
    return [
      { property: absent, reason: `is required when ${given[0]} is given (equal bounds make a fixed size)` },
    ];
  }
  const unlisted = bounds.flatMap((property) => findUnlistedSize(property, inputs));
  return unlisted.length > 0 ? unlisted : findRangeFailure(inputs);
}

function findUnlistedSize(property: string, inputs: RawInputs): InputFailure[] {
  const cu = inputs[property];
  if (typeof cu !== 'number' || isUnknown(cu) || findComputeSize(cu)) return [];
  const isAllowed = inputs.allowUnlistedSize === true || isUnknown(inputs.allowUnlistedSize);
  if (isAllowed) return cu < smallestCu ? [{ property, reason: `must be at least ${smallestCu} CU` }] : [];
  const beyond = 'allowUnlistedSize: true lets another size through to the service';
  return [{ property, reason: `is not a size of the service: allowed are ${listedSizes}; ${beyond}` }];
}

function findRangeFailure(inputs: RawInputs): InputFailure[] {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = inputs;
  if (typeof minCu !== 'number' || typeof maxCu !== 'number') return [];
  if (minCu > maxCu) {
    // Without the other bound's value, which may be a secret.
    return [{ property: 'autoscalingLimitMinCu', reason: 'must not be above autoscalingLimitMaxCu' }];
  }
  if (minCu < maxCu && maxCu - minCu > maxAutoscalingRangeCu) {
    const reason = `must be at most ${maxAutoscalingRangeCu} CU above autoscalingLimitMinCu`;
    return [{ property: 'autoscalingLimitMaxCu', reason }];
  }
  return [];
}
