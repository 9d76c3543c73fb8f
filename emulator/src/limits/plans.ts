import { notInPlan, unprocessable } from '../records/api-error';
import type { ProjectRecord } from '../records/records';
import type { Endpoint } from '../records/wire-types';
import type { ComputeSize } from './compute-size';

export type PlanName = 'free' | 'paid';

interface PlanRules {
  /** Largest size in compute units, regardless of the option `maxCu`. */
  readonly maxCu: number;
  readonly autoscaling: boolean;
  readonly readReplicas: boolean;
  readonly maxEndpoints: number;
  /** Smallest autosuspend delay that a request may set. 0 (the default) and -1 (never) are always allowed. */
  readonly minSuspendTimeoutSeconds: number;
}

export const PLANS: Readonly<Record<PlanName, PlanRules>> = {
  free: {
    maxCu: 0.25,
    autoscaling: false,
    readReplicas: false,
    maxEndpoints: 20,
    minSuspendTimeoutSeconds: 60,
  },
  paid: {
    maxCu: Number.POSITIVE_INFINITY,
    autoscaling: true,
    readReplicas: true,
    maxEndpoints: 500,
    minSuspendTimeoutSeconds: 1,
  },
};

export function checkPlan(
  plan: PlanName,
  { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu }: ComputeSize,
  { type, suspend_timeout_seconds: delay = 0 }: Partial<Pick<Endpoint, 'type' | 'suspend_timeout_seconds'>>,
): void {
  const rules = PLANS[plan];
  if (minCu !== maxCu && !rules.autoscaling) {
    throw notInPlan(
      'PLAN_AUTOSCALING',
      `the ${plan} plan has no autoscaling: use the same minimum and maximum size`,
    );
  }
  if (maxCu > rules.maxCu) {
    throw notInPlan(
      'PLAN_COMPUTE_SIZE',
      `the ${plan} plan allows at most ${rules.maxCu} CU; got ${maxCu} CU`,
    );
  }
  const shortest = rules.minSuspendTimeoutSeconds;
  if (delay > 0 && delay < shortest) {
    throw notInPlan(
      'PLAN_SUSPEND_TIMEOUT',
      `the ${plan} plan requires a suspend_timeout_seconds of at least ${shortest}; got ${delay}`,
    );
  }
  if (type === 'read_only' && !rules.readReplicas) {
    throw notInPlan(
      'PLAN_READ_REPLICAS',
      `the ${plan} plan has no read replicas: a read_only endpoint needs a paid plan`,
    );
  }
}

export function checkEndpointQuota(
  { wire, endpoints }: ProjectRecord,
  added: number,
  maxEndpoints: number,
): void {
  if (endpoints.size + added <= maxEndpoints) return;
  throw unprocessable(
    'ENDPOINTS_LIMIT_EXCEEDED',
    `project ${wire.id} has ${endpoints.size} of at most ${maxEndpoints} endpoints: delete one first, or raise the quota`,
  );
}
