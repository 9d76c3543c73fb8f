import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import { PresentableError } from '../../provider/src/dynamic/host-errors';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { unmarkSecrets } from '../../provider/src/engine/secret-marks';
import {
  CallError,
  type CheckedProgram,
  type Door,
  type Kind,
  type Program,
  type ResourceState,
} from './door';
import type { Failure } from './failure';
import { urnOf } from './start-service';

/** The dynamic provider, called as Pulumi's host of dynamic providers does. */
export const dynamicDoor: Door = {
  async start(options, config = {}, kind = 'endpoint') {
    const provider = makeDynamicProviders(options)[kind];
    const get = (key: string) => config[key.slice('postgresCompute:'.length)];
    await provider.configure({ config: { get, require: (key) => get(key) ?? key } });
    return {
      async check(before, program) {
        const { inputs = {}, failures = [] } = await provider.check(
          before?.inputs ?? {},
          toInputs(program, kind),
        );
        // The engine stores the marks of secrets; the host strips them from everything that it passes on.
        return { inputs: unmarkSecrets({ ...inputs }).values, failures };
      },
      async diff(state, declared) {
        const answer = provider.diff(state.id, outputsOf(state), inputsOf(declared));
        const { changes = false, replaces = [] } = await readable(answer);
        return { hasChanges: changes, replaces };
      },
      async create(declared) {
        const { id, outs } = await readable(provider.create(inputsOf(declared)), declared);
        return { id, declared, outputs: { ...outs } };
      },
      async update(state, declared) {
        const answer = provider.update(state.id, outputsOf(state), inputsOf(declared));
        const { outs } = await readable(answer, state.declared); // A failed update leaves the inputs of before.
        return { id: state.id, declared, outputs: { ...outs } };
      },
      async read(state) {
        const { id, props, inputs } = await readable(provider.read(state.id, outputsOf(state)));
        if (id === undefined) return undefined;
        const declared = inputs ? { inputs: unmarkSecrets({ ...inputs }).values } : state.declared;
        return { id, declared, outputs: { ...props } };
      },
      delete: (state) => readable(provider.delete(state.id, outputsOf(state))),
    };
  },
};

function toInputs({ args, timeoutSeconds: seconds, secrets }: Program, kind: Kind): Partial<StoredInputs> {
  return {
    ...args,
    __urn: urnOf('api', kind),
    ...(seconds !== undefined && { timeouts: { create: seconds, update: seconds, delete: seconds } }),
    ...(secrets && { __secrets: secrets }),
  };
}

// What the engine passes back is what the provider has returned.
const inputsOf = ({ inputs }: CheckedProgram) => inputs as StoredInputs;
const outputsOf = ({ outputs }: ResourceState) => outputs as unknown as StoredOutputs;

async function readable<Result>(call: Promise<Result>, declared?: CheckedProgram): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PresentableError)) throw error;
    const { message, id, properties } = error as Failure;
    if (!declared || id === undefined || !properties) throw new CallError(message);
    throw new CallError(message, { id, declared, outputs: { ...properties } });
  }
}
