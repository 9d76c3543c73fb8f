import type { BranchInputs } from '../../provider/src/branch/branch-inputs';
import type { EndpointInputs } from '../../provider/src/endpoint/endpoint-inputs';
import type { InputFailure } from '../../provider/src/lifecycle/input-values';
import type { CoreOptions } from '../../provider/src/lifecycle/provider-core';
import type { DatabaseInputs } from '../../provider/src/named/database-type';
import type { RoleInputs } from '../../provider/src/named/role-type';

/** The type of resource that a run is about; the resource's name is `api`. */
export type Kind = 'endpoint' | 'branch' | 'role' | 'database';

// The two ways in which the engine reaches the provider, behind one interface: what holds for one has to hold for both.

/** What a program gives of the resource `api`. */
export interface Program {
  readonly args:
    | Partial<EndpointInputs>
    | Partial<BranchInputs>
    | Partial<RoleInputs>
    | Partial<DatabaseInputs>;
  /** How long a create, an update or a delete may take. */
  readonly timeoutSeconds?: number | undefined;
  /** The names of the arguments that the program marks as secrets. */
  readonly secrets?: readonly string[];
}

/** What a check returns, as the engine passes it to the other calls. */
export interface CheckedProgram {
  readonly inputs: object;
  readonly timeoutSeconds?: number | undefined;
}

/** A resource in state. */
export interface ResourceState {
  readonly id: string;
  readonly declared: CheckedProgram;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The calls of one run of the engine, which talks to one process of the provider. */
export interface EngineCalls {
  /** @param before undefined when the resource is created */
  check(
    before: CheckedProgram | undefined,
    program: Program,
  ): Promise<CheckedProgram & { readonly failures: readonly InputFailure[] }>;
  diff(
    state: ResourceState,
    declared: CheckedProgram,
  ): Promise<{ readonly hasChanges: boolean; readonly replaces: readonly string[] }>;
  create(declared: CheckedProgram): Promise<ResourceState>;
  update(state: ResourceState, declared: CheckedProgram): Promise<ResourceState>;
  /** Undefined when the resource no longer exists. */
  read(state: ResourceState): Promise<ResourceState | undefined>;
  delete(state: ResourceState): Promise<void>;
}

/** One way in which the engine reaches the provider. */
export interface Door {
  /** Starts a process of the provider. @param config the settings of the stack's config, by their bare names */
  start(options: CoreOptions, config?: Readonly<Record<string, string>>, kind?: Kind): Promise<EngineCalls>;
}

/** A failed call. With a state, the resource exists, and the engine keeps it. */
export class CallError extends Error {
  readonly state: ResourceState | undefined;

  constructor(message: string, state?: ResourceState) {
    super(message);
    this.state = state;
  }
}

/** `pulumi up` of a resource: checks it, and does what the diff asks for. */
export async function runUp(
  run: EngineCalls,
  program: Program,
  state?: ResourceState,
): Promise<ResourceState> {
  const declared = await checkProgram(run, program, state?.declared);
  if (!state) return run.create(declared);
  const { hasChanges, replaces } = await run.diff(state, declared);
  if (!hasChanges) return { ...state, declared };
  if (replaces.length === 0) return run.update(state, declared);
  return runReplacement(run, program, state);
}

/** `pulumi up --replace` of a resource. */
export async function runReplacement(
  run: EngineCalls,
  program: Program,
  state: ResourceState,
): Promise<ResourceState> {
  const anew = await checkProgram(run, program);
  await run.delete(state);
  return run.create(anew);
}

/** `pulumi preview` of a resource: whether it changes, and what replaces it. */
export async function runPreview(run: EngineCalls, program: Program, state: ResourceState) {
  return run.diff(state, await checkProgram(run, program, state.declared));
}

/** `pulumi refresh` of a resource: reads it, and compares what it finds with the inputs in state. */
export async function runRefresh(run: EngineCalls, state: ResourceState) {
  const found = await run.read(state);
  if (!found) return { state: undefined, hasChanges: true };
  const { hasChanges } = await run.diff(found, state.declared);
  return { state: found, hasChanges };
}

/** The failure of a call that must fail. */
export async function callErrorOf(work: Promise<unknown>): Promise<CallError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof CallError) return outcome;
  throw new Error('The call was expected to fail.', { cause: outcome });
}

/** The state after a failure that must leave the endpoint in state. */
export async function failedState(work: Promise<unknown>): Promise<ResourceState> {
  const { state, message } = await callErrorOf(work);
  if (state) return state;
  throw new Error(`The failure was expected to leave an endpoint in state: ${message}`);
}

export async function checkProgram(
  run: EngineCalls,
  program: Program,
  before?: CheckedProgram,
): Promise<CheckedProgram> {
  const { failures, ...declared } = await run.check(before, program);
  if (failures.length === 0) return declared;
  throw new CallError(failures.map(({ property, reason }) => `${property} ${reason}`).join('; '));
}

/** The commands of a user for one resource, each of which is a run of the engine. */
export function commandsOf(
  startRun: () => Promise<EngineCalls>,
  declare: (args: Program['args'], timeoutSeconds?: number) => Program,
) {
  return {
    up: async (args: Program['args'] = {}, before?: ResourceState, timeoutSeconds?: number) =>
      runUp(await startRun(), declare(args, timeoutSeconds), before),
    preview: async (args: Program['args'], before: ResourceState) =>
      runPreview(await startRun(), declare(args), before),
    refresh: async (before: ResourceState) => runRefresh(await startRun(), before),
    destroy: async (before: ResourceState) => (await startRun()).delete(before),
    /** What the check of a new resource refuses. */
    failuresOf: async (args: Program['args']) =>
      (await (await startRun()).check(undefined, declare(args))).failures,
  };
}
