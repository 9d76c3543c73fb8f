import { omit } from 'lodash';
import { findComputeSize } from '../endpoint/compute-size';
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
  inputs: EndpointInputs,
  secretNames: readonly string[] = [],
): string[] {
  const shown: Partial<EndpointInputs> = omit(inputs, secretNames);
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu, suspendTimeoutSeconds } = shown;
  const sentences: string[] = [];
  const minimum = typeof minCu === 'number' ? findComputeSize(minCu) : undefined;
  const isAutoscaling = minimum !== undefined && typeof maxCu === 'number' && maxCu > minimum.cu;
  if (isAutoscaling && names.includes('autoscalingLimitMinCu')) {
    sentences.push(
      `max_connections is ${minimum.maxConnections}, set by the minimum of ${minimum.cu} CU; it stays the same when the compute scales up to ${maxCu} CU`,
    );
  }
  const isShort =
    typeof suspendTimeoutSeconds === 'number' &&
    suspendTimeoutSeconds > 0 &&
    suspendTimeoutSeconds < surelyAllowedSuspendSeconds;
  if (isShort && names.includes('suspendTimeoutSeconds')) {
    sentences.push(
      `suspendTimeoutSeconds is ${suspendTimeoutSeconds}: the service's plan may refuse less than ${surelyAllowedSuspendSeconds} s`,
    );
  }
  return sentences;
}
