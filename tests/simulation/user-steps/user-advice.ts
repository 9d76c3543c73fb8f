import { omit } from 'lodash';
import type { Declaration } from '../engine/agreement/agreement-scenario';
import { nameOf } from '../engine/agreement/transcript';
import type { StoredResource } from '../engine/stack';
import { withArgs } from './program-edits';
import type { UserStep } from './user-schedule';
import type { UserWorld } from './user-world';

/** What an error advises to give the resource, as an argument. */
const advisedArguments: readonly (readonly [RegExp, Readonly<Record<string, unknown>>])[] = [
  [/set allowDataLoss: true|allowDataLoss: true/, { allowDataLoss: true }],
  [/set allowRestart: true|allowRestart is false/, { allowRestart: true }],
  [/set adopt: true|adopt: true takes it over|adopt: true/, { adopt: true }],
  [/belongs to another database .* choose another name/, { name: 'another' }],
];

/** The step as the user repeats it, following the advice of the errors; undefined where they give none. */
export function reviseStep(
  world: UserWorld,
  step: UserStep,
  failures: readonly { readonly urn: string; readonly message: string }[],
): UserStep | undefined {
  let next: UserStep | undefined;
  for (const { urn, message } of failures) {
    const advised =
      unprotect(world, next ?? step, message) ??
      allowLossEarlier(world, next ?? step, message) ??
      change(world, next ?? step, nameOf(urn), message) ??
      deleteFirst(world, next ?? step, message) ??
      removeFromRetained(world, next ?? step, nameOf(urn), message);
    const isRemoved = !advised && (removeRetained(world, message) || removeChildren(world, message));
    const changed = advised ?? (isLater(message) ? step : undefined);
    if (!changed && !isRemoved) return undefined;
    next = changed ?? next ?? step;
  }
  return next;
}

/** In the program where its branch stays, and else at the service. */
function unprotect(world: UserWorld, step: UserStep, message: string): UserStep | undefined {
  const [, id = ''] = /branch (br-[\w-]+)(?:: it)? is protected/.exec(message) ?? [];
  const name = nameOf(world.stack.state.resources.find((each) => each.id === id)?.urn ?? '');
  const isKept = !/delete of branch/.test(message) && step.program[name]?.args?.protected === true;
  if (isKept) return { ...step, program: withArgs(step.program, name, { protected: false }) };
  const branch = world.held().branches.find((each) => each.id === id);
  if (!branch?.protected) return undefined;
  world.service.controls.changeBranch(branch.project_id, id, { protected: false });
  return step.command === 'up' ? { ...step, command: 'up --refresh' } : step;
}

/** The first advice that the program does not follow already. */
function change(world: UserWorld, step: UserStep, name: string, message: string): UserStep | undefined {
  const declaration = step.program[name];
  if (/up --refresh/.test(message) && step.command === 'up') return { ...step, command: 'up --refresh' };
  if (!declaration) return undefined;
  for (const [advice, given] of advisedArguments) {
    const [argument = ''] = Object.keys(given);
    if (!advice.test(message) || declaration.args?.[argument] === given[argument]) continue;
    const args = {
      ...declaration.args,
      ...given,
      ...(argument === 'adopt' && nameIn(world, message, declaration)),
    };
    return { ...step, program: { ...step.program, [name]: { ...declaration, args } } };
  }
  return undefined;
}

/** Deletes in an earlier `pulumi up` what the program no longer declares, and what has the name that it declares. */
function deleteFirst({ stack }: UserWorld, step: UserStep, message: string): UserStep | undefined {
  const [, id] = /If this program deletes (\S+), do that in an earlier/.exec(message) ?? [];
  const [, taken] = /branch already exists; branch_name:"(\S+)"/.exec(message) ?? [];
  const isInTheWay = (each: StoredResource) =>
    each.id === id || (taken !== undefined && each.outputs.values.name === taken);
  const left = stack.state.resources.filter(({ urn }) => !(nameOf(urn) in step.program));
  const name = nameOf(left.find(isInTheWay)?.urn ?? '');
  return name === '' ? undefined : { ...step, target: [name] };
}

/** Allows in an earlier `pulumi up` that a database goes with its branch. One that the program has renamed or dropped goes there itself. */
function allowLossEarlier({ stack }: UserWorld, step: UserStep, message: string): UserStep | undefined {
  const [, lost] =
    /deletes database \S+\/(\S+) with its data: .* in an earlier `pulumi up`/.exec(message) ?? [];
  const databases = stack.state.resources.filter(({ urn }) => urn.includes(':Database::'));
  // A reset may have changed the name in place, and the id stays.
  const name = nameOf(databases.find(({ outputs }) => outputs.values.name === lost)?.urn ?? '');
  const program = withArgs(step.program, name, { allowDataLoss: true });
  return name === '' ? undefined : { ...step, program, target: [name] };
}

/** Removes what is on a branch that is no resource any more, where a killed replacement still names that branch. */
function removeFromRetained(
  world: UserWorld,
  step: UserStep,
  name: string,
  message: string,
): UserStep | undefined {
  const [, id = ''] =
    /delete of branch (br-[\w-]+): .* remove the endpoint from the program/.exec(message) ?? [];
  return world.released.has(id) ? { ...step, program: omit(step.program, name) } : undefined;
}

/** The name of the branch that the error advises to adopt, which the program may not give yet. */
function nameIn(world: UserWorld, message: string, { type }: Declaration): { readonly name?: string } {
  const [id] = message.match(/\bbr-[a-z]+-[a-z]+-\d+/) ?? [];
  const held = type === 'Branch' ? world.held().branches.find((branch) => branch.id === id) : undefined;
  return held ? { name: held.name } : {};
}

/** Whether the error says that the next run succeeds. */
function isLater(message: string): boolean {
  return /again|next `?(pulumi )?up|later|once more|earlier `pulumi up`|two runs/.test(message);
}

/** The user asks others to delete what they have created from a branch of the program. */
function removeChildren(world: UserWorld, message: string): boolean {
  if (!/Delete them first|child branch/.test(message)) return false;
  return world.removeForeignChildren();
}

/** The user deletes a branch whose creation has failed, and renames one that is no resource any more, if its name is in the way. */
function removeRetained(world: UserWorld, message: string): boolean {
  const [, failed] = /branch (\S+) could not be created, .* Delete it at the service/.exec(message) ?? [];
  if (failed !== undefined) return world.removeBranch(failed);
  const id = [...world.released].find((each) => /of that name/.test(message) && message.includes(each));
  return id !== undefined && world.renameBranch(id);
}
