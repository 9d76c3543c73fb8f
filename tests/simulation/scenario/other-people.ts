import fc from 'fast-check';
import type { Variant } from './slot-plan';

/** Something that other people do at the service while a run is under way, or before it. */
export interface Disturbance {
  /** The number of the event of the run; 0: before it. */
  readonly at: number;
  readonly what:
    | 'create an endpoint'
    | 'add an operation'
    | 'lock the project'
    | 'change an endpoint'
    | 'resize an endpoint'
    | 'rename an endpoint'
    | 'delete an endpoint'
    | 'connect to an endpoint'
    | 'create a branch'
    | 'protect a branch'
    | 'rename a branch'
    | 'delete a branch';
  /** The slot whose project, branch, name or endpoint it concerns. */
  readonly slot: number;
  readonly type: 'read_write' | 'read_only';
  /** The name of a new endpoint: one that the slot may declare, or one of its own. */
  readonly name: Variant | 'own' | undefined;
  readonly status: string;
  readonly forMs: number;
}

export const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  at: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  what: fc.constantFrom<Disturbance['what']>(
    'create an endpoint',
    'create an endpoint',
    'add an operation',
    'add an operation',
    'lock the project',
    'change an endpoint',
    'resize an endpoint',
    'rename an endpoint',
    'delete an endpoint',
    'connect to an endpoint',
    'connect to an endpoint',
  ),
  slot: fc.nat(3),
  type: fc.constantFrom('read_write', 'read_only'),
  name: fc.constantFrom('a', 'b', 'own', undefined),
  status: fc.constantFrom('running', 'scheduling', 'finished', 'failed', 'cancelling', 'pondering'),
  forMs: fc.integer({ min: 200, max: 12_000 }),
});

/** Whether it changes what the programs declare, so that only a refresh shows it. */
export function isDrift({ what }: Disturbance): boolean {
  return drift.has(what);
}

const drift: ReadonlySet<Disturbance['what']> = new Set([
  'change an endpoint',
  'resize an endpoint',
  'rename an endpoint',
  'delete an endpoint',
  'protect a branch',
  'rename a branch',
  'delete a branch',
]);
