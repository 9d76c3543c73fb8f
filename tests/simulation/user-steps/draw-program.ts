import fc from 'fast-check';
import type { Declaration, Program } from '../engine/agreement/agreement-scenario';
import type { Drawn } from '../scenario/drawing';
import { first, remove, rename, withArgs, withOptions } from './program-edits';

// What the programs of a user declare at first, and how the user edits them.

const often = fc.nat(3).map((roll) => roll > 0);
const seldom = fc.nat(3).map((roll) => roll === 0);
export const rarely = fc.nat(11).map((roll) => roll === 0);

/** The resources that a program may have at first, besides the Branch `one`. */
export const base = fc.record({
  isNamed: often,
  allowsLoss: often,
  retains: rarely,
  isProtected: rarely,
  /** Where the endpoint `e` is. */
  e: fc.constantFrom('none', 'by reference', 'by reference', 'by text', 'by text', 'elsewhere'),
  isReplica: seldom,
  hasSecond: seldom,
  hasChild: rarely,
  hasEndpoint: fc.boolean(),
  isGuarded: rarely,
});

type Base = Drawn<typeof base>;

const sized = (maxCu: number) => ({ autoscalingLimitMinCu: maxCu, autoscalingLimitMaxCu: maxCu });

/** The programs that create what the others change: ids as text need a run of their own. */
export function firstPrograms(drawn: Base): Program[] {
  const { isNamed, allowsLoss, retains, isProtected, e, isReplica, hasSecond, hasChild, hasEndpoint } = drawn;
  const guarded = drawn.isGuarded && { allowRestart: false };
  const allowDataLoss = allowsLoss && { allowDataLoss: true };
  const one: Declaration = {
    type: 'Branch',
    args: { ...(isNamed && { name: 'data' }), ...allowDataLoss, ...(isProtected && { protected: true }) },
    ...(retains && { retainOnDelete: true }),
  };
  const program: Program = {
    r: { args: { type: 'read_only', ...sized(0.25) } },
    one,
    ...(hasSecond && { two: { type: 'Branch', args: { name: 'second', ...allowDataLoss } } }),
    ...(hasChild && { child: { type: 'Branch', args: { parentId: { $ref: 'one' }, ...allowDataLoss } } }),
    ...(hasEndpoint && { f: { args: { name: 'app', ...sized(0.25), ...guarded } } }),
  };
  if (e === 'none') return [program];
  const type = isReplica ? 'read_only' : 'read_write';
  const on = { 'by reference': { $ref: 'one' }, 'by text': { $id: 'one' }, elsewhere: { $place: 'first' } }[
    e
  ];
  const whole = { ...program, e: { args: { type, branchId: on, ...sized(0.25), ...guarded } } };
  return e === 'by text' ? [program, whole] : [whole];
}

const names = fc.constantFrom('one', 'one', 'one', 'e', 'e', 'f', 'two', 'child');

/** How a resource gets another name in the program. */
export const renaming = fc.record({
  name: names,
  how: fc.constantFrom('adopt', 'adopt', 'aliases', 'aliases and adopt', 'nothing'),
  /** Whether the resource also gets another `name`, or another parent or size. */
  also: fc.constantFrom('nothing', 'nothing', 'nothing', 'name', 'origin'),
  dependsOnReplica: fc.boolean(),
});

/** What a user changes in a program from one step to the next. */
export const edit = fc.record({
  rename: fc.option(renaming, { freq: 1 }),
  removed: fc.option(names, { freq: 2, nil: undefined }),
  change: fc.constantFrom(
    'nothing',
    'nothing',
    'parent',
    'project of the branch',
    'project of an endpoint',
    'project without its branch',
    'move',
    'move by text',
    'name',
    'name handed on',
    'name handed on with adopt',
    'name handed back',
    'name handed back with adopt',
    'protection',
    'size',
    'type of what waits',
    'permission',
    'retention',
  ),
  resizesReplica: fc.boolean(),
});

type Edit = Drawn<typeof edit>;

/** The program after the edit. */
export function editProgram(
  before: Program,
  { rename: renamed, removed, change, resizesReplica }: Edit,
): Program {
  let program = changes[change]?.(before) ?? before;
  if (removed !== undefined && removed !== renamed?.name) program = remove(program, removed);
  if (renamed) program = applyRename(program, renamed);
  return resizesReplica ? withArgs(program, 'r', sized(0.5)) : program;
}

function applyRename(
  before: Program,
  { name, how, also, dependsOnReplica }: NonNullable<Edit['rename']>,
): Program {
  const next = `${name}New`;
  const isBranch = before[name]?.type === 'Branch';
  let program = rename(before, name, next, how.includes('aliases') ? { aliases: [name] } : {});
  const isFound = !isBranch || before[name]?.args?.name !== undefined;
  if (how.includes('adopt') && isFound) program = withArgs(program, next, { adopt: true });
  if (also === 'name') program = withArgs(program, next, { name: 'other' });
  if (also === 'origin')
    program = withArgs(program, next, isBranch ? { parentId: { $place: 'second branch' } } : sized(1));
  return dependsOnReplica ? withOptions(program, next, { dependsOn: ['r'] }) : program;
}

const changes: Readonly<Record<string, (program: Program) => Program>> = {
  parent: (program) => withArgs(program, 'one', { parentId: { $place: 'second branch' } }),
  'project of the branch': (program) => withOptions(program, 'one', { place: 'second project' }),
  'project of an endpoint': (program) => withOptions(program, 'f', { place: 'second project' }),
  'project without its branch': (program) =>
    withArgs(withOptions(program, 'f', { place: 'second project' }), 'f', { branchId: { $place: 'first' } }),
  move: (program) => withOptions(program, 'f', { place: 'second branch' }),
  'move by text': (program) => withArgs(program, 'f', { branchId: { $id: 'one' } }),
  name: (program) => withArgs(withArgs(program, 'one', { name: 'renamed' }), 'f', { name: 'renamed' }),
  'name handed on': (program) => handOn(program, {}),
  'name handed on with adopt': (program) => handOn(program, { adopt: true }),
  'name handed back': (program) => first(handOn(program, {}), 'heir'),
  'name handed back with adopt': (program) => first(handOn(program, { adopt: true }), 'heir'),
  protection: (program) => withArgs(program, 'one', { protected: true }),
  size: (program) => withArgs(withArgs(program, 'f', sized(0.5)), 'e', sized(0.5)),
  'type of what waits': (program) =>
    withArgs(withOptions(program, 'e', { dependsOn: ['r'] }), 'e', {
      type: program.e?.args?.type === 'read_only' ? 'read_write' : 'read_only',
    }),
  permission: (program) => withArgs(program, 'one', { allowDataLoss: undefined }),
  retention: (program) => withOptions(program, 'one', { retainOnDelete: true }),
};

/** Another Branch takes the name of `one`. */
function handOn(program: Program, args: Declaration['args']): Program {
  if (program.one?.args?.name === undefined) return program;
  const handed = withArgs(program, 'one', { name: 'renamed' });
  return { ...handed, heir: { type: 'Branch', args: { name: 'data', ...args } } };
}
