import { badRequest } from '../records/api-error';

/** Bounds in compute units; equal bounds mean a fixed size. */
export interface ComputeSize {
  readonly autoscaling_limit_min_cu: number;
  readonly autoscaling_limit_max_cu: number;
}

const FRACTIONAL_SIZES: readonly number[] = [0.25, 0.5];
const WIDEST_RANGE_CU = 8;
/** A larger compute has a fixed size. */
const LARGEST_AUTOSCALING_CU = 16;

/** Source: docs/service.md, "Compute sizes". Sizes above 8 CU are allowed only by the option `maxCu`. */
export function checkComputeSize(size: ComputeSize, largestCu: number): void {
  const { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu } = size;
  for (const [attribute, cu] of Object.entries(size)) {
    const isKnown = FRACTIONAL_SIZES.includes(cu) || (Number.isInteger(cu) && cu >= 1 && cu <= largestCu);
    if (!isKnown) {
      throw badRequest(
        `endpoint.${attribute} must be 0.25, 0.5 or a whole number from 1 to ${largestCu}; got ${cu}`,
      );
    }
  }
  if (minCu > maxCu) {
    throw badRequest(`autoscaling_limit_min_cu ${minCu} is above autoscaling_limit_max_cu ${maxCu}`);
  }
  if (maxCu - minCu > WIDEST_RANGE_CU) {
    throw badRequest(
      `autoscaling from ${minCu} to ${maxCu} CU is too wide: the bounds may differ by at most ${WIDEST_RANGE_CU} CU`,
    );
  }
  if (maxCu > LARGEST_AUTOSCALING_CU && minCu !== maxCu) {
    throw badRequest(
      `a compute above ${LARGEST_AUTOSCALING_CU} CU must have a fixed size; got ${minCu} to ${maxCu} CU`,
    );
  }
}

/** Requires both bounds or neither. */
export function checkBothBounds({
  autoscaling_limit_min_cu: min,
  autoscaling_limit_max_cu: max,
}: Partial<ComputeSize>): void {
  if ((min === undefined) === (max === undefined)) return;
  throw badRequest(
    'autoscaling_limit_min_cu and autoscaling_limit_max_cu must be given together; only one was given',
  );
}

/** For each compute unit. It gives the values of the table in docs/service.md, "Compute sizes". */
const CONNECTIONS_PER_CU = 450.6;
const MOST_CONNECTIONS = 4000;

/** The Postgres setting `max_connections` of a compute. The maximum, which only sizes above 8 CU reach, is a judgement. */
export function maxConnectionsOf(minCu: number): number {
  return Math.min(MOST_CONNECTIONS, Math.floor(minCu * CONNECTIONS_PER_CU));
}
