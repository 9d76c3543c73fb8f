/** One row of the size table: what a compute of that many compute units (CU) has. */
export interface ComputeSize {
  /** Compute units. */
  readonly cu: number;
  /** Virtual CPUs. */
  readonly vcpu: number;
  /** Memory in GB. */
  readonly ramGb: number;
  /** The part of the memory that caches pages, in GB. */
  readonly localFileCacheGb: number;
  /** Postgres `max_connections` when this is the minimum size. */
  readonly maxConnections: number;
}

/** The size table of the service (docs/service.md, "Compute sizes"). */
export const computeSizes: readonly ComputeSize[] = [
  { cu: 0.25, vcpu: 0.25, ramGb: 1, localFileCacheGb: 0.8, maxConnections: 112 },
  { cu: 0.5, vcpu: 0.5, ramGb: 2, localFileCacheGb: 1.6, maxConnections: 225 },
  { cu: 1, vcpu: 1, ramGb: 4, localFileCacheGb: 3.2, maxConnections: 450 },
  { cu: 2, vcpu: 2, ramGb: 8, localFileCacheGb: 6.4, maxConnections: 901 },
  { cu: 3, vcpu: 3, ramGb: 12, localFileCacheGb: 9.6, maxConnections: 1351 },
  { cu: 4, vcpu: 4, ramGb: 16, localFileCacheGb: 12.8, maxConnections: 1802 },
  { cu: 5, vcpu: 5, ramGb: 20, localFileCacheGb: 16, maxConnections: 2253 },
  { cu: 6, vcpu: 6, ramGb: 24, localFileCacheGb: 19.2, maxConnections: 2703 },
  { cu: 7, vcpu: 7, ramGb: 28, localFileCacheGb: 22.4, maxConnections: 3154 },
  { cu: 8, vcpu: 8, ramGb: 32, localFileCacheGb: 25.6, maxConnections: 3604 },
];

/** Concurrent client connections that the pooler supports, of any size (docs/service.md, "Connections"). */
export const pooledMaxConnections = 10_000;

/** The largest distance between the two autoscaling bounds, in CU (docs/service.md, "Compute sizes"). */
export const maxAutoscalingRangeCu = 8;

/** The smallest size of the table. Compute units. */
export const smallestCu = Math.min(...computeSizes.map((size) => size.cu));

const sizeByCu = new Map(computeSizes.map((size) => [size.cu, size]));

/** The sizes of the table, for messages. */
export const listedSizes = `${computeSizes.map((size) => size.cu).join(', ')} CU`;

/** The row of the size table, or undefined for a size that the table does not list. */
export function findComputeSize(cu: number): ComputeSize | undefined {
  return sizeByCu.get(cu);
}

/** The bounds as a person reads them: `1 CU` when fixed, `0.25 to 2 CU` when autoscaling. */
export function describeSizeRange(minCu: number, maxCu: number): string {
  return minCu === maxCu ? `${minCu} CU` : `${minCu} to ${maxCu} CU`;
}

/** What a compute has at one of its bounds, as an output of the resource. */
export interface SizeOutput {
  /** Virtual CPUs. */
  readonly vcpu: number;
  /** Memory in GB. */
  readonly ramGb: number;
  /** Local file cache in GB; absent for a size that the table does not list. */
  readonly localFileCacheGb?: number;
}

/** What follows from the two bounds. `maxConnections` follows the minimum and does not grow with the compute. */
export type SizeOutputs = {
  readonly minSize: SizeOutput;
  readonly maxSize: SizeOutput;
  /** Absent for a minimum that the table does not list. */
  readonly maxConnections?: number;
  readonly pooledMaxConnections: number;
};

/** Derives the outputs that depend on size alone. */
export function deriveSizeOutputs(minCu: number, maxCu: number): SizeOutputs {
  const minimum = findComputeSize(minCu);
  return {
    minSize: toSizeOutput(minCu),
    maxSize: toSizeOutput(maxCu),
    ...(minimum && { maxConnections: minimum.maxConnections }),
    pooledMaxConnections,
  };
}

function toSizeOutput(cu: number): SizeOutput {
  const size = findComputeSize(cu);
  // The rule of the table for what it does not list: 1 vCPU and 4 GB RAM per CU.
  if (!size) return { vcpu: cu, ramGb: 4 * cu };
  return { vcpu: size.vcpu, ramGb: size.ramGb, localFileCacheGb: size.localFileCacheGb };
}

/** Whether it is the name of one of the two arguments that give the size. */
export function isSizeName(name: string): boolean {
  return name.startsWith('autoscalingLimit');
}
