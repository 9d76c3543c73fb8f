import fc from 'fast-check';
import { intersection, union } from 'lodash';
import type { Fault } from 'postgres-control-emulator';
import type { Intrusion, Program } from '../engine/agreement/agreement-scenario';
import { noMishap } from '../engine/simulated-run';
import { Drawing, type Drawn } from '../scenario/drawing';
import { mishap } from './draw-named-schedule';
import { base, edit, editProgram, firstPrograms, rarely, renaming } from './draw-program';
import type { UserSchedule, UserStep } from './user-schedule';

const failingOperation: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({
    action: fc.constantFrom(
      'apply_config' as const,
      'apply_config' as const,
      'start_compute' as const,
      'suspend_compute' as const,
      'create_branch' as const,
    ),
  }),
  times: fc.integer({ min: 1, max: 2 }),
  effect: fc.constant({ kind: 'operation-fails' as const, status: 'failed' as const }),
});

const call = fc.constantFrom(
  { method: 'POST', path: '/projects/:p/branches' },
  { method: 'POST', path: '/projects/:p/endpoints' },
  { method: 'PATCH', path: '/projects/:p/branches/:b' },
  { method: 'PATCH', path: '/projects/:p/endpoints/:e' },
  { method: 'DELETE', path: '/projects/:p/branches/:b' },
  { method: 'DELETE', path: '/projects/:p/endpoints/:e' },
);

const failingRequest: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    match: call,
    times: fc.constantFrom('always' as const, 1),
    effect: fc.constant({ kind: 'status' as const, status: 403 }),
  }),
  fc.record({
    match: call,
    times: fc.constant(1),
    effect: fc.constant({ kind: 'lost-after-work' as const }),
  }),
);

const fault = fc.oneof({ weight: 3, arbitrary: failingOperation }, { weight: 2, arbitrary: failingRequest });

/** What others do to what the program has. */
const intrusion: fc.Arbitrary<Intrusion> = fc.constantFrom<Intrusion>(
  { resource: 'one', protects: true },
  { resource: 'one', branches: true },
  { resource: 'one', creates: { type: 'read_only' } },
  { resource: 'one', creates: { type: 'read_only' } },
  { resource: 'f', place: 'second branch', creates: {} },
  { resource: 'f', place: 'second branch', creates: { type: 'read_only' } },
);

const name = fc.nat(7);

/** The options of a command; numbers choose names. */
const scope = fc.record({
  kind: fc.constantFrom(
    'none',
    'none',
    'none',
    'none',
    'none',
    'target',
    'exclude',
    'replace',
    'targetReplace',
    'taint',
  ),
  chosen: fc.array(name, { minLength: 1, maxLength: 2 }),
});

const drawnStep = fc.record({
  edit,
  scope,
  command: fc.constantFrom<UserStep['command']>('up', 'up', 'up', 'up', 'up', 'up --refresh', 'destroy'),
  continuesOnError: fc.nat(2).map((roll) => roll === 0),
  skipsPreview: rarely,
  mishap: fc.oneof({ weight: 4, arbitrary: fc.constant(noMishap) }, { weight: 1, arbitrary: mishap }),
  faults: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
    { weight: 2, arbitrary: fc.array(fault, { minLength: 1, maxLength: 2 }) },
  ),
  intrusions: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Intrusion[]>([]) },
    { weight: 1, arbitrary: fc.tuple(intrusion) },
  ),
  between: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Intrusion[]>([]) },
    { weight: 1, arbitrary: fc.tuple(intrusion) },
  ),
});

/** A resource is renamed or replaced, and depends on what fails, while the engine continues. */
const doomedStep: fc.Arbitrary<DrawnStep> = fc
  .record({ step: drawnStep, renamed: renaming, isRenamed: fc.boolean() })
  .map(({ step, renamed, isRenamed }) => ({
    ...step,
    command: 'up',
    scope: { kind: 'none', chosen: [] },
    continuesOnError: true,
    edit: {
      ...step.edit,
      ...(isRenamed
        ? { rename: { ...renamed, dependsOnReplica: true }, change: 'nothing' as const }
        : { rename: null, removed: 'one', change: 'type of what waits' as const }),
      resizesReplica: true,
    },
    faults: [
      { match: { action: 'apply_config' }, times: 1, effect: { kind: 'operation-fails', status: 'failed' } },
    ],
  }));

type DrawnStep = Drawn<typeof drawnStep>;

const userSchedule: fc.Arbitrary<UserSchedule> = fc
  .record({
    seed: fc.nat(2 ** 31 - 1),
    operationMs: fc.constantFrom(0, 100, 100, 1_500),
    locks: fc.constantFrom<'project' | 'endpoint' | 'none'>('project', 'project', 'endpoint', 'none'),
    lateListsMs: fc.constantFrom(0, 0, 0, 0, 1_500),
    longestDelayMs: fc.constantFrom(5, 5, 200),
    allowsRestart: fc.nat(5).map((roll) => roll > 0),
    base,
    drawn: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(drawnStep) },
      { weight: 2, arbitrary: fc.tuple(drawnStep, drawnStep) },
      { weight: 1, arbitrary: fc.tuple(doomedStep) },
    ),
  })
  .map(({ seed, operationMs, locks, lateListsMs, longestDelayMs, allowsRestart, base: drawnBase, drawn }) => {
    const steps: UserStep[] = firstPrograms(drawnBase).map((program) => ({ program, command: 'up' }));
    for (const step of drawn) {
      // What was destroyed is not edited.
      if (steps.at(-1)?.command === 'destroy') break;
      steps.push(toStep(step, steps.at(-1)?.program ?? {}));
    }
    return { seed, service: { operationMs, locks, lateListsMs }, longestDelayMs, allowsRestart, steps };
  });

function toStep({ edit: edited, scope: scoped, ...step }: DrawnStep, before: Program): UserStep {
  const program = editProgram(before, edited);
  const isKnown = ({ resource }: Intrusion) => before[resource] !== undefined;
  return {
    ...step,
    program,
    // As docs/failures.md advises.
    isRepeated: step.mishap !== noMishap,
    ...(step.command !== 'destroy' && toScope(scoped, before, program)),
    intrusions: step.intrusions.filter(isKnown),
    between: step.between.filter(isKnown),
  };
}

/** The options that name resources: only those that the engine knows. */
function toScope({ kind, chosen }: DrawnStep['scope'], before: Program, program: Program): Partial<UserStep> {
  if (kind === 'none') return {};
  const all = [Object.keys(before), Object.keys(program)] as const;
  const known = kind === 'target' ? union(...all) : kind === 'exclude' ? all[0] : intersection(...all);
  const picked = chosen.flatMap((index) => known[index % known.length] ?? []);
  return picked.length > 0 ? { [kind]: union(picked) } : {};
}

/** The schedule of a seed, the same one each time. */
export const userDrawing = new Drawing(userSchedule);
