import { mapValues, pickBy } from 'lodash';
import type { Declaration, Program } from '../engine/agreement/agreement-scenario';
import type { UserWorld } from './user-world';

/**
 * Where a program gives the id of a branch as text that no longer exists, the user refers to the Branch of that name instead, or
 * removes the resource if the program has none.
 */
export function mendTexts(world: UserWorld, program: Program): Program {
  const isDead = (name: string) => !world.held().branches.some(({ id }) => id === world.ground.textOf(name));
  const deadIn = ({ args = {} }: Declaration) =>
    Object.values(args).flatMap((value) => {
      const { $id } = (value ?? {}) as { readonly $id?: string };
      return $id !== undefined && isDead($id) ? [$id] : [];
    });
  const left = pickBy(program, (each) => deadIn(each).every((name) => program[name] !== undefined));
  return mapValues(left, (each) => {
    const dead = deadIn(each);
    const mend = (value: unknown) => {
      const { $id = '' } = (value ?? {}) as { readonly $id?: string };
      return dead.includes($id) ? { $ref: $id } : value;
    };
    return dead.length > 0 ? { ...each, args: mapValues(each.args, mend) } : each;
  });
}
