import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';

/** Below this some plans refuse an autosuspend delay (official API description). Seconds. */
const surelyAllowedSuspendSeconds = 60;

/**
 * Limits that the named arguments imply and that users may not expect, one sentence each. They are reported when an
 * argument is given or changed.
 * @param secretNames the arguments whose values no sentence may show
 */
export function describeLimits(
  names: readonly InputName[],
  { suspendTimeoutSeconds: seconds }: EndpointInputs,
  secretNames: readonly string[] = [],
): string[] {
  const isShown = names.includes('suspendTimeoutSeconds') && !secretNames.includes('suspendTimeoutSeconds');
  const isShort = typeof seconds === 'number' && seconds > 0 && seconds < surelyAllowedSuspendSeconds;
  if (!isShown || !isShort) return [];
  return [
    `suspendTimeoutSeconds is ${seconds}: the service's plan may refuse less than ${surelyAllowedSuspendSeconds} s`,
  ];
}
