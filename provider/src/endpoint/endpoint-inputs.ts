import { isEqual } from 'lodash';
import * as z from 'zod';
import { findComputeSize, listedSizes, maxAutoscalingRangeCu, smallestCu } from './compute-size';

/** How Pulumi spells a value that is not known yet, in what it hands to check and diff. */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Whether the value, or anything inside it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isUnknown);
}

const idPattern = /^[a-z0-9-]{1,60}$/;
const maxSuspendTimeoutSeconds = 604_800;

function text(allowed: string) {
  return z.string(`must be ${allowed}`).min(1, `must be ${allowed}`);
}

function id(of: string) {
  const allowed = `the id of a ${of}: 1 to 60 lower-case letters, digits and hyphens`;
  return z.string(`must be ${allowed}`).regex(idPattern, `must be ${allowed}`);
}

const flag = z.boolean('must be true or false');
const size = z.number(`must be a number of compute units: ${listedSizes}`);
const suspendTimeoutAllowed = `-1 (never), 0 (the service's default, 300 s) or 1 to ${maxSuspendTimeoutSeconds} seconds (7 days)`;
const suspendTimeout = z
  .int(`must be ${suspendTimeoutAllowed}`)
  .min(-1, `must be ${suspendTimeoutAllowed}`)
  .max(maxSuspendTimeoutSeconds, `must be ${suspendTimeoutAllowed}`);

/** What each argument may hold; compute-endpoint.ts says what each means. */
export const inputShape = {
  projectId: id('project'),
  branchId: id('branch'),
  type: z.enum(['read_write', 'read_only'], 'must be read_write or read_only'),
  regionId: text('the id of a region'),
  name: z
    .string('must be 1 to 64 characters')
    .min(1, 'must be 1 to 64 characters')
    .max(64, 'must be 1 to 64 characters'),
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
  disabled: flag,
  passwordlessAccess: flag,
  provisioner: text('the name of a provisioner'),
  adopt: flag,
  allowRestart: flag,
  restartTriggers: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], 'must be text, a number, true or false'),
    'must be a map of values whose change restarts the compute',
  ),
  waitForOperations: flag,
};

const requiredInputs = ['projectId', 'branchId', 'type'] as const;

type InputValues = { [Name in keyof typeof inputShape]: z.infer<(typeof inputShape)[Name]> };
type RequiredInput = (typeof requiredInputs)[number];

/** The arguments of a ComputeEndpoint as Pulumi passes them to a provider. */
export type EndpointInputs = Pick<InputValues, RequiredInput> & Partial<Omit<InputValues, RequiredInput>>;

/** The names that a program may give. */
export type InputName = keyof typeof inputShape;

export interface InputFailure {
  readonly property: string;
  readonly reason: string;
}

type RawInputs = Readonly<Record<string, unknown>>;

/** Everything wrong with the inputs, each with its property. Values that are not known yet are not judged. */
export function findInputFailures(inputs: RawInputs): InputFailure[] {
  const failures: InputFailure[] = [];
  for (const name of requiredInputs) {
    if (inputs[name] === undefined)
      failures.push({ property: name, reason: `is required: it ${missing[name]}` });
  }
  for (const [property, value] of Object.entries(inputs)) {
    if (value === undefined || isUnknown(value)) continue;
    const reason = findValueFailure(property, value);
    if (reason) failures.push({ property, reason });
  }
  return failures.length > 0 ? failures : findSizeFailures(inputs);
}

const missing: Readonly<Record<RequiredInput, string>> = {
  projectId: 'names the project that the branch belongs to',
  branchId: 'names the branch that the endpoint serves',
  type: 'is read_write or read_only',
};

function findValueFailure(property: string, value: unknown): string | undefined {
  if (!isInputName(property))
    return `is not an argument of a ComputeEndpoint; those are ${inputNames.join(', ')}`;
  const result = inputShape[property].safeParse(value);
  return describeIssue(result.error?.issues[0]);
}

/** What is wrong with a value, and where in it; undefined when nothing is. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (!issue) return undefined;
  return issue.path.length > 0 ? `${issue.path.join('.')} ${issue.message}` : issue.message;
}

const inputNames = Object.keys(inputShape);

function isInputName(name: string): name is InputName {
  return Object.hasOwn(inputShape, name);
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
  if (isAllowed && cu >= smallestCu) return [];
  const beyond = isAllowed ? '' : '; allowUnlistedSize: true lets another size through to the service';
  return [{ property, reason: `is not a size of the service: allowed are ${listedSizes}${beyond}` }];
}

function findRangeFailure(inputs: RawInputs): InputFailure[] {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = inputs;
  if (typeof minCu !== 'number' || typeof maxCu !== 'number') return [];
  if (minCu > maxCu) {
    const reason = `must not be above autoscalingLimitMaxCu, which is ${maxCu} CU`;
    return [{ property: 'autoscalingLimitMinCu', reason }];
  }
  if (minCu < maxCu && maxCu - minCu > maxAutoscalingRangeCu) {
    const reason = `must be at most ${maxAutoscalingRangeCu} CU above autoscalingLimitMinCu, which is ${minCu} CU`;
    return [{ property: 'autoscalingLimitMaxCu', reason }];
  }
  return [];
}

/** Deep equality of two values as they stand in inputs and outputs; -0 is 0. */
export function isSame(left: unknown, right: unknown): boolean {
  return isEqual(left, right);
}
