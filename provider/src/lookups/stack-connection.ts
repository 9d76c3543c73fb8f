import * as pulumi from '@pulumi/pulumi';
import { MockMonitor } from '@pulumi/pulumi/runtime/mocks';
import { isEmpty } from 'lodash';
import { readConnectionSettings } from '../config/connection-settings';
import { findSettingNames, readStackConfig, refuseReadableKey } from '../config/stack-config';
import { ControlApi } from '../control-api/control-api';
import { toError } from '../control-api/control-api-error';

/**
 * Reads from the service. In a unit test, the mocks answer instead, as to a call of the plugin's function of this name.
 * @throws Error when they do not
 */
export async function lookUp<Result extends object>(
  name: string,
  args: object,
  read: (api: ControlApi) => Promise<Result>,
): Promise<Result> {
  if (!isMocked()) return readByStack(read);
  const token = `postgres-compute:index:${name}`;
  const answer: Result = await pulumi.runtime.invoke(token, { ...args });
  if (isEmpty(answer)) throw new Error(`The mocks of this unit test have no answer to ${token}.`);
  return answer;
}

/** @throws Error of which Pulumi prints only the message, unless it is a programming error */
export async function readByStack<Result>(read: (api: ControlApi) => Promise<Result>): Promise<Result> {
  try {
    return await read(connectByStack());
  } catch (error) {
    throw hideStack(error);
  }
}

/**
 * Pulumi prints only the message of a RunError, which it recognises by this property, whatever its class. It still inspects the stack,
 * which takes minutes on Node.js 20 if the SDK has frames in it, so the stack is removed. A programming error stays as it is.
 */
export function hideStack(thrown: unknown): Error {
  const error = toError(thrown);
  if ([TypeError, RangeError, ReferenceError].some((mistake) => error instanceof mistake)) return error;
  return Object.defineProperty(Object.assign(error, { stack: undefined }), '__pulumiRunError', {
    value: true,
  });
}

function isMocked(): boolean {
  return pulumi.runtime.getMonitor() instanceof MockMonitor;
}

/**
 * Connects by the same rules as the resource: with the stack's config (of either provider), otherwise with the
 * environment.
 * @throws Error when a setting is missing, or in a unit test with mocks; pulumi.RunError when the key in the stack's config is not a secret
 */
export function connectByStack(): ControlApi {
  if (isMocked()) throw new Error('A unit test with mocks sends no request to the service.');
  refuseReadableKey();
  const names = findSettingNames();
  const readConfig = (name: string) => readStackConfig(names, name);
  return new ControlApi(readConnectionSettings(readConfig, process.env, names));
}
