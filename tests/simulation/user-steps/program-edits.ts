import { mapValues, omit } from 'lodash';
import type { Declaration, Program } from '../engine/agreement/agreement-scenario';

// Edits of a program, each as a user makes it.

type Args = NonNullable<Declaration['args']>;

/** Changes arguments of a resource; undefined removes one. */
export function withArgs(program: Program, name: string, args: Args): Program {
  const declaration = program[name];
  if (!declaration) return program;
  return { ...program, [name]: { ...declaration, args: { ...declaration.args, ...args } } };
}

/** Changes a declaration besides its arguments. */
export function withOptions(program: Program, name: string, options: Partial<Declaration>): Program {
  const declaration = program[name];
  return declaration ? { ...program, [name]: { ...declaration, ...options } } : program;
}

/** Gives a resource another name in the program. References follow it; ids as text stay. */
export function rename(program: Program, name: string, next: string, options: Partial<Declaration>): Program {
  const renamed: Record<string, Declaration> = {};
  for (const [each, declaration] of Object.entries(program))
    renamed[each === name ? next : each] = {
      ...point(declaration, name, { $ref: next }),
      ...(declaration.dependsOn && {
        dependsOn: declaration.dependsOn.map((other) => (other === name ? next : other)),
      }),
      ...(each === name && { placesOf: name, ...options }),
    };
  return renamed;
}

/** Removes a resource. What referred to its id gives it as text, so the program still declares it. */
export function remove(program: Program, name: string): Program {
  return mapValues(omit(program, name), (declaration: Declaration) => ({
    ...point(declaration, name, { $id: name }),
    ...(declaration.dependsOn && { dependsOn: declaration.dependsOn.filter((other) => other !== name) }),
  }));
}

/** Gives something else where the arguments refer to the id of a resource. */
function point(declaration: Declaration, name: string, instead: object): Declaration {
  const refersToIt = (value: unknown) => (value as { readonly $ref?: string } | undefined)?.$ref === name;
  const args = mapValues(declaration.args ?? {}, (value) => (refersToIt(value) ? instead : value));
  return { ...declaration, args };
}

/** Moves a resource before the others: what it does comes first. */
export function first(program: Program, name: string): Program {
  const declaration = program[name];
  return declaration ? { [name]: declaration, ...omit(program, name) } : program;
}
