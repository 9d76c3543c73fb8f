import * as pulumi from '@pulumi/pulumi';
import { isPlainObject } from 'lodash';
import { dynamicSettingNames } from '../config/setting-names';
import { refuseUnsafeConfig } from '../config/stack-config';
import type { DynamicType } from '../dynamic/provider-text';
import { toHiddenInputs } from './hidden-inputs';

const thePlugin = 'import the class from pulumi-postgres-compute/plugin';

/** The resource options that the engine does not pass to a dynamic provider, with what to do instead. */
const withoutEffect = {
  replaceOnChanges: thePlugin,
  customTimeouts: 'use the argument timeouts',
  import: `run \`postgres-compute import-file\`, or ${thePlugin}`,
} as const;

/** What the constructor of the SDK's class takes. */
export type Registration = [
  type: string,
  name: string,
  properties: pulumi.Inputs,
  options: pulumi.CustomResourceOptions,
];

/** The type under which the plugin manages the resource. */
export function toPluginToken({ token }: DynamicType): string {
  return `postgres-compute:index:${token.split(':').at(-1)}`;
}

/**
 * How to register a resource that the dynamic provider manages, and that may be in state as one of the plugin.
 * @param outputs those of its class
 * @throws RunError when the stack's config is unsafe, or a resource option would have no effect
 */
export function registerDynamic(
  type: DynamicType,
  outputs: readonly string[],
  name: string,
  args: object,
  opts?: pulumi.CustomResourceOptions,
): Registration {
  refuseUnsafeConfig(dynamicSettingNames);
  for (const [option, instead] of Object.entries(withoutEffect))
    if (opts?.[option as keyof typeof withoutEffect] !== undefined)
      throw new pulumi.RunError(`${name}: the resource option ${option} has no effect here: ${instead}.`);
  const inputs = { ...args, ...toHiddenInputs(type, name, args, opts) };
  const aliases = toAliases(toPluginToken(type), opts);
  return [type.token, name, toProperties(outputs, inputs), toOptions({ ...opts, aliases })];
}

/** The program's aliases, and the same of the other type: the engine combines none. */
export function toAliases(type: string, { aliases = [] }: pulumi.CustomResourceOptions = {}) {
  return [
    ...aliases,
    { type },
    ...aliases.filter(isPlainObject).map((alias) => ({ type, ...(alias as object) })),
  ];
}

/** The id of what has a name within a branch. */
export function toNamedId(at: Readonly<Record<'projectId' | 'branchId' | 'name', pulumi.Input<string>>>) {
  return pulumi.interpolate`${at.projectId}/${at.branchId}/${at.name}`;
}

/** For `--replace` and taint nothing but `deleteBeforeReplace` tells the provider that an old resource exists. */
export function toOptions(opts?: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  return { ...opts, deleteBeforeReplace: opts?.deleteBeforeReplace ?? true };
}

/** The properties to register: the inputs, and an empty place for each other output, because the engine fills no others. */
export function toProperties(outputs: readonly string[], inputs: pulumi.Inputs): pulumi.Inputs {
  return { ...Object.fromEntries(outputs.map((name) => [name, undefined])), ...inputs };
}

/**
 * To name promises that leak, the SDK takes a stack trace for each of four promises of each property, a hundred in all:
 * half of the time of a program with many endpoints. (It finds the resource's own source position separately.)
 */
export function pauseStackTraces() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const resume = () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
  /** Returns the error with a stack trace from the caller of that class's constructor: it must still show the program's line. */
  const retake = (error: unknown, resourceClass: NewableFunction) => {
    resume();
    if (error instanceof Error) Error.captureStackTrace(error, resourceClass);
    return error;
  };
  return { resume, retake };
}
