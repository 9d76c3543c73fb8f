import { badRequest } from '../records/api-error';

/** Bounds in compute units; fixed when they are equal. */
export interface ComputeSize {
  readonly minCu: number;
  readonly maxCu: number;
}

/** What a request says of a size. */
export interface RequestedSize {
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
}

const FRACTIONAL_SIZES: readonly number[] = [0.25, 0.5];
const WIDEST_RANGE_CU = 8;
/** Above this a compute has a fixed size. */
const LARGEST_AUTOSCALING_CU = 16;

/** Source: service-api.txt, sections 2.4 and 8; what lies above 8 CU comes in only by the option `maxCu`. */
export function checkComputeSize({ minCu, maxCu }: ComputeSize, largestCu: number): void {
  for (const [attribute, cu] of [
    ['autoscaling_limit_min_cu', minCu],
    ['autoscaling_limit_max_cu', maxCu],
  ] as const) {
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
      `autoscaling from ${minCu} to ${maxCu} CU is too wide: the bounds may differ by ${WIDEST_RANGE_CU} CU`,
    );
  }
  if (maxCu > LARGEST_AUTOSCALING_CU && minCu !== maxCu) {
    throw badRequest(
      `a compute above ${LARGEST_AUTOSCALING_CU} CU has a fixed size: ${minCu} to ${maxCu} CU is a range`,
    );
  }
}

/** Both bounds or neither. `path` is where they stand in the request, such as `endpoint.` */
export function checkBothBounds(requested: RequestedSize, path = ''): void {
  if (
    (requested.autoscaling_limit_min_cu === undefined) ===
    (requested.autoscaling_limit_max_cu === undefined)
  )
    return;
  throw badRequest(
    `${path}autoscaling_limit_min_cu and autoscaling_limit_max_cu come together: only one is given`,
  );
}
