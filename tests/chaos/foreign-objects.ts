import fc from 'fast-check';
import { projectCount, slotCount, type Variant } from './slot-plan';

/** Another client's endpoint, which the program must not change. */
export interface ForeignEndpoint {
  /** The slot whose branch or name it uses. */
  readonly slot: number;
  readonly project: number;
  readonly type: 'read_write' | 'read_only';
  /** A name that the slot may declare, or a name of its own. */
  readonly name: Variant | 'own' | undefined;
  readonly ageMs: number;
}

/** Another client's operation. */
export interface ForeignOperation {
  readonly project: number;
  readonly about: 'the project' | 'a foreign endpoint' | 'a slot';
  readonly action: string;
  readonly status: string;
  readonly ageMs: number;
  /** How long it locks the project, starting before the run under faults. Undefined: no lock. */
  readonly locksForMs: number | undefined;
}

const ageMs = fc.constantFrom(0, 60_000, 86_400_000);
const projectIndex = fc.nat(projectCount - 1);

export const foreignEndpoint: fc.Arbitrary<ForeignEndpoint> = fc.record({
  slot: fc.nat(slotCount - 1),
  project: projectIndex,
  type: fc.constantFrom('read_write', 'read_only'),
  name: fc.constantFrom('a', 'b', 'own', undefined),
  ageMs,
});

export const foreignOperation: fc.Arbitrary<ForeignOperation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      project: projectIndex,
      about: fc.constantFrom('the project', 'a foreign endpoint', 'a slot'),
      action: fc.constantFrom('check_availability', 'create_branch', 'start_compute', 'suspend_compute'),
      status: fc.constantFrom(
        'scheduling',
        'running',
        'finished',
        'failed',
        'error',
        'cancelling',
        'pondering',
      ),
      ageMs,
      locksForMs: fc.constant(undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      project: projectIndex,
      about: fc.constant('the project' as const),
      action: fc.constant('create_branch'),
      status: fc.constantFrom('scheduling', 'running'),
      ageMs,
      locksForMs: fc.integer({ min: 500, max: 6_000 }),
    }),
  },
);
