import fc from 'fast-check';
import type { Fault } from 'postgres-control-emulator';

// A scenario is data, drawn from a seed: what a program declares round by round, and what goes wrong meanwhile.

/** What a slot of the program declares in one round. */
export interface SlotPlan {
  readonly isDeclared: boolean;
  readonly project: number;
  /** Each slot has two branches of its own in each project, so that no two compete for one. */
  readonly branch: number;
  readonly type: 'read_write' | 'read_only';
  readonly size: readonly [number, number];
  readonly suspendTimeoutSeconds: number;
  readonly workMem: string | undefined;
}

/** How a run is cut off. `afterMs` counts from the start of the command. */
export interface Interruption {
  readonly kind: 'none' | 'kill -9 of the CLI' | 'kill -9 of the host' | 'Ctrl-C';
  readonly afterMs: number;
}

export interface Round {
  readonly slots: readonly SlotPlan[];
  readonly faults: readonly Fault[];
  readonly interruption: Interruption;
  /** Whether somebody runs `pulumi refresh` before the next `up`. */
  readonly refreshesBetween: boolean;
}

export interface Scenario {
  readonly rounds: readonly Round[];
}

export const projectCount = 2;
export const slotCount = 4;

const sizes = [
  [0.25, 0.25],
  [0.25, 1],
  [0.5, 2],
  [1, 4],
] as const;

const slot: fc.Arbitrary<SlotPlan> = fc.record({
  isDeclared: fc.boolean(),
  project: fc.nat(projectCount - 1),
  branch: fc.nat(1),
  type: fc.constantFrom('read_write', 'read_only'),
  size: fc.constantFrom(...sizes),
  suspendTimeoutSeconds: fc.constantFrom(0, 300, 3600),
  workMem: fc.constantFrom(undefined, '4MB', '8MB'),
});

/** Which parts of a slot change from one round to the next: few, as in a real edit. */
const edit = fc.record({
  isDeclared: fc.boolean(),
  size: fc.boolean(),
  settings: fc.boolean(),
  branch: fc.boolean(),
  replacement: fc.nat(3).map((roll) => roll === 0),
});

const action = fc.constantFrom('start_compute', 'apply_config', 'suspend_compute');
const times = fc.integer({ min: 1, max: 3 });
const path = fc.constantFrom(
  '/projects/*/endpoints',
  '/projects/*/endpoints/*',
  '/projects/*/operations',
  '/**',
);
const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE');

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    match: fc.record({ action }),
    times,
    effect: fc.record({
      kind: fc.constant('operation-fails' as const),
      status: fc.constantFrom('failed' as const, 'error' as const, 'cancelled' as const),
    }),
  }),
  fc.record({
    match: fc.record({ action }),
    times: fc.constant(1),
    effect: fc.constantFrom(
      { kind: 'operation-hangs' as const },
      { kind: 'operation-status' as const, status: 'pondering' },
    ),
  }),
  fc.record({
    match: fc.record({ method, path }),
    times,
    effect: fc.oneof(
      fc.constantFrom(
        { kind: 'lost-before-work' as const },
        { kind: 'lost-after-work' as const },
        { kind: 'malformed' as const },
        { kind: 'repeated-operations' as const },
        { kind: 'reversed-operations' as const },
        { kind: 'slow' as const, delayMs: 700 },
        { kind: 'status' as const, status: 429, retryAfterSeconds: 1 },
      ),
      fc
        .record({
          kind: fc.constant('status' as const),
          status: fc.constantFrom(423, 429, 500, 502, 503, 504),
          when: fc.constantFrom('before-work' as const, 'after-work' as const),
        })
        .filter(({ status, when }) => when === 'before-work' || ![423, 429, 503].includes(status)),
    ),
  }),
);

const interruption: fc.Arbitrary<Interruption> = fc.record({
  kind: fc.constantFrom('none', 'kill -9 of the CLI', 'kill -9 of the CLI', 'kill -9 of the host', 'Ctrl-C'),
  afterMs: fc.integer({ min: 1_000, max: 4_500 }),
});

const rounds = fc.array(
  fc.record({
    fresh: fc.array(slot, { minLength: slotCount, maxLength: slotCount }),
    edits: fc.array(edit, { minLength: slotCount, maxLength: slotCount }),
    faults: fc.array(fault, { minLength: 1, maxLength: 6 }),
    interruption,
    refreshesBetween: fc.boolean(),
  }),
  { minLength: 2, maxLength: 3 },
);

/** The scenario of a seed: the same one each time. */
export function scenarioOf(seed: number): Scenario {
  const [drawn = []] = fc.sample(rounds, { seed, numRuns: 1 });
  const plans: SlotPlan[][] = [];
  for (const { fresh, edits } of drawn) {
    const before = plans.at(-1);
    plans.push(fresh.map((plan, index) => edited(before?.[index], plan, edits[index])));
  }
  return {
    rounds: drawn.map(({ faults, interruption: cut, refreshesBetween }, index) => ({
      slots: plans[index] ?? [],
      faults,
      interruption: cut,
      refreshesBetween,
    })),
  };
}

type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

function edited(before: SlotPlan | undefined, fresh: SlotPlan, change: Edit | undefined): SlotPlan {
  if (!before || !change) return fresh;
  return {
    isDeclared: change.isDeclared ? fresh.isDeclared : before.isDeclared,
    project: change.replacement ? fresh.project : before.project,
    type: change.replacement ? fresh.type : before.type,
    branch: change.branch ? fresh.branch : before.branch,
    size: change.size ? fresh.size : before.size,
    suspendTimeoutSeconds: change.settings ? fresh.suspendTimeoutSeconds : before.suspendTimeoutSeconds,
    workMem: change.settings ? fresh.workMem : before.workMem,
  };
}
