import type { DynamicProvider } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';

// The calls that the engine makes, in its order (pulumi/pulumi, pkg/resource/deploy/step_generator.go).

/** An endpoint in state: what a create or an update returned, and the inputs of the last check. */
export interface EngineState {
  readonly id: string;
  readonly inputs: StoredInputs;
  readonly outs: StoredOutputs;
}

/** Checks and creates a resource that is not in state. */
export async function runCreate(provider: DynamicProvider, program: StoredInputs): Promise<EngineState> {
  const inputs = await check(provider, {}, program);
  const { id, outs } = await provider.create(inputs);
  return { id, inputs, outs: outs as StoredOutputs }; // A create always returns outputs.
}

/** Checks, diffs and, when there are changes, updates a resource in state. */
export async function runUpdate(
  provider: DynamicProvider,
  state: EngineState,
  program: StoredInputs,
): Promise<EngineState> {
  const inputs = await check(provider, state.inputs, program);
  const { changes } = await provider.diff(state.id, state.outs, inputs);
  if (!changes) return { ...state, inputs };
  const { outs } = await provider.update(state.id, state.outs, inputs);
  return { ...state, inputs, outs: outs as StoredOutputs }; // An update always returns outputs too.
}

/** The cause of a replacement: `declared` by a changed property, or `forced` by `--replace` or taint. */
export interface Replacement {
  readonly cause: 'declared' | 'forced';
  readonly deletesFirst: boolean;
}

export async function runReplacement(
  provider: DynamicProvider,
  state: EngineState,
  program: StoredInputs,
  { cause, deletesFirst }: Replacement,
): Promise<EngineState> {
  if (cause === 'declared') {
    const checked = await check(provider, state.inputs, program);
    await provider.diff(state.id, state.outs, checked);
  }
  const inputs = await check(provider, {}, program);
  if (deletesFirst) await provider.delete(state.id, state.outs);
  const { id, outs } = await provider.create(inputs);
  if (!deletesFirst) await provider.delete(state.id, state.outs);
  return { id, inputs, outs: outs as StoredOutputs };
}

async function check(provider: DynamicProvider, olds: object, news: StoredInputs): Promise<StoredInputs> {
  const { inputs, failures = [] } = await provider.check({ ...olds }, { ...news });
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join('; '));
  return inputs as StoredInputs; // Checked inputs have this type.
}
