import { isEqual, isPlainObject } from 'lodash';
import type { AgreementScenario } from './agreement-scenario';
import type { StepTranscript } from './transcript';

/** Where the simulated engine differs from the real one, in lines to read. */
export function findDifferences(
  { steps }: AgreementScenario,
  simulated: readonly StepTranscript[],
  real: readonly StepTranscript[],
): string[] {
  return steps.flatMap(({ command }, index) =>
    compare(simulated[index], real[index]).map((line) => `step ${index + 1} (${command}): ${line}`),
  );
}

function compare(simulated: unknown, real: unknown, path = ''): string[] {
  if (isEqual(simulated, real)) return [];
  const isList = Array.isArray(simulated) && Array.isArray(real) && simulated.length === real.length;
  if (isList || (isPlainObject(simulated) && isPlainObject(real))) {
    const [before, after] = [simulated, real] as Readonly<Record<string, unknown>>[];
    return Object.keys({ ...before, ...after }).flatMap((name) =>
      compare(before?.[name], after?.[name], path ? `${path}.${name}` : name),
    );
  }
  return [`${path}: simulated ${describe(simulated)}, real ${describe(real)}`];
}

function describe(value: unknown): string {
  // Of calls, what was called says the most.
  if (!Array.isArray(value)) return value === undefined ? 'nothing' : JSON.stringify(value);
  return `[${value.map((item) => item?.call ?? JSON.stringify(item)).join(', ')}]`;
}
