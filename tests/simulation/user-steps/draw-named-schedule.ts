import fc from 'fast-check';
import type { Fault } from 'postgres-control-emulator';
import type { Declaration, Program } from '../engine/agreement/agreement-scenario';
import { type Mishap, noMishap } from '../engine/simulated-run';
import { Drawing, type Drawn } from '../scenario/drawing';
import type { UserSchedule, UserStep } from './user-schedule';

// What a program declares on one branch by name, how a user edits that, and what goes wrong.

/** The branch is a child of the default one, so it begins with the role `app_owner` and its database `app`. */
const role = fc.record({
  name: fc.constantFrom('x', 'y', 'app_owner'),
  rotation: fc.nat(1),
  adopts: fc.boolean(),
});
const database = fc.record({
  name: fc.constantFrom('s', 't', 'app'),
  /** The number of one of the roles above, or the role that the branch begins with. */
  owner: fc.constantFrom(0, 1, 'app_owner' as const),
  adopts: fc.boolean(),
});
const often = fc.nat(3).map((roll) => roll > 0);
const rarely = fc.nat(7).map((roll) => roll === 0);

export const mishap: fc.Arbitrary<Mishap> = fc.record({
  kind: fc.constantFrom('kill of CLI and host', 'kill of the host', 'Ctrl-C'),
  counts: fc.constant('writes'),
  at: fc.integer({ min: 1, max: 12 }),
  lingerMs: fc.constant(0),
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    match: fc.record({ action: fc.constantFrom('apply_config', 'apply_config', 'create_branch') }),
    times: fc.constant(1),
    effect: fc.constant({ kind: 'operation-fails' as const, status: 'failed' as const }),
  }),
  fc.record({
    match: fc.record({
      method: fc.constantFrom<('POST' | 'PATCH' | 'DELETE')[]>('POST', 'PATCH', 'DELETE'),
      path: fc.constant('/projects/:p/branches/**'),
    }),
    times: fc.constant(1),
    effect: fc.constantFrom({ kind: 'lost-before-work' as const }, { kind: 'lost-after-work' as const }),
  }),
);

const drawnStep = fc.record({
  /** A change resets the branch. */
  reset: fc.nat(2),
  /** Where a reset takes the data from. */
  source: fc.constantFrom('parent', 'parent', 'other'),
  /** Whether a reset keeps the previous data in another branch. */
  preserves: rarely,
  hasOtherParent: rarely,
  isProtected: rarely,
  /** Replaces the branch (`--replace`). */
  forces: rarely,
  allowsLoss: often,
  roles: fc.tuple(fc.option(role, { freq: 3 }), fc.option(role, { freq: 1 })),
  databases: fc.tuple(fc.option(database, { freq: 3 }), fc.option(database, { freq: 1 })),
  refreshes: rarely,
  mishap: fc.oneof({ weight: 3, arbitrary: fc.constant(noMishap) }, { weight: 1, arbitrary: mishap }),
  faults: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
    { weight: 1, arbitrary: fc.tuple(fault) },
  ),
});

type DrawnStep = Drawn<typeof drawnStep>;

function toStep({ forces, refreshes, mishap, faults, ...drawn }: DrawnStep, index: number): UserStep {
  return {
    program: toProgram(drawn, index),
    command: refreshes ? 'up --refresh' : 'up',
    ...(forces && { replace: ['b'] }),
    mishap,
    faults,
    isRepeated: true,
  };
}

/** The Branch `b`, with its roles and databases. */
function toProgram(
  { roles, databases, ...drawn }: Omit<DrawnStep, 'forces' | 'refreshes' | 'mishap' | 'faults'>,
  index: number,
): Program {
  const allowDataLoss = drawn.allowsLoss && { allowDataLoss: true };
  const other = { $place: 'second branch' };
  const b: Declaration = {
    type: 'Branch',
    args: {
      name: 'data',
      resetTriggers: { reset: drawn.reset },
      ...(drawn.source === 'other' && { restoreFrom: { branchId: other } }),
      ...(drawn.preserves && { preserveUnderName: `kept-${index}` }),
      ...(drawn.hasOtherParent && { parentId: other }),
      ...(drawn.isProtected && { protected: true }),
      ...allowDataLoss,
    },
  };
  const on = { branchId: { $ref: 'b' } };
  const program: Record<string, Declaration> = { b };
  for (const [number, role] of roles.entries()) {
    if (!role) continue;
    const { name, rotation, adopts } = role;
    const args = { ...on, name, passwordTriggers: { rotation }, ...(adopts && { adopt: true }) };
    program[`r${number}`] = { type: 'Role', args };
  }
  for (const [number, database] of databases.entries()) {
    if (!database) continue;
    const { name, owner, adopts } = database;
    const value = owner === 'app_owner' ? undefined : roles[owner]?.name;
    const ownerName = value ? { $ref: `r${owner}`, output: 'name', value } : 'app_owner';
    const args = { ...on, name, ownerName, ...allowDataLoss, ...(adopts && { adopt: true }) };
    program[`d${number}`] = { type: 'Database', args };
  }
  return program;
}

/** The schedule of a seed, the same one each time. */
export const namedDrawing = new Drawing<UserSchedule>(
  fc
    .record({
      seed: fc.nat(2 ** 31 - 1),
      operationMs: fc.constantFrom(0, 100, 1_500),
      steps: fc.array(drawnStep, { minLength: 2, maxLength: 4 }),
    })
    .map(({ seed, operationMs, steps }) => ({
      seed,
      service: { operationMs },
      longestDelayMs: 20,
      allowsRestart: true,
      steps: steps.map(toStep),
    })),
);
