import { intersection, isEmpty, isEqual, reject, union } from 'lodash';
import { toPrintable } from '../control-api/printable';
import { isUnknown } from './input-values';
import type { Declared, Properties } from './resource-identity';
import { isUnsettled } from './resource-state';
import type { ResourceType } from './resource-type';

/** What was in state; a create does not get that. */
export type Before = Pick<Declared<Properties>, 'resource'>;

/**
 * The names of the outputs that are secret: what the program marks, what was secret in state (unless the program now gives
 * this value and the last run has finished), and what follows from them.
 */
export function findSecretOutputs(
  { argumentNames, derivedOutputs = {}, secretOutputs = [] }: ResourceType,
  { resource: { secretNames = [] }, inputs }: Declared<Properties>,
  outputs: Properties,
  before: Before | undefined,
): string[] {
  // Other settings than the program gives may be secrets of an earlier one, or of a run that was killed.
  const { pgSettings } = outputs;
  const isOther = !isEmpty(pgSettings) && !isUnknown(pgSettings) && !isEqual(pgSettings, inputs.pgSettings);
  // A lookup declares nothing, and shows them as the function `getComputeEndpoint` does.
  const isDeclared = inputs.branchId !== undefined;
  const known = union(before?.resource.secretNames, isOther && isDeclared ? ['pgSettings'] : []);
  const kept = isUnsettled(outputs) ? known : reject(known, (name) => isEqual(outputs[name], inputs[name]));
  const secret = union(secretNames, intersection(argumentNames, kept));
  const always = secretOutputs.filter((name) => outputs[name] !== undefined);
  return union(secret, always, ...secret.map((name) => derivedOutputs[name] ?? []));
}

/** Shorter values (`on`, `0`) are not redacted: they occur in every text. */
const shortestSecret = 4;

/**
 * The values that no message may repeat: what the program marks as secret, and those of maps that often hold secrets. Each also
 * in the form in which a message shows it: in one line, trimmed.
 */
export function listSecretValues(declaration: Declared<object>): string[] {
  const { restartTriggers, pgSettings, password } = declaration.inputs as Properties;
  const likely = [restartTriggers, pgSettings, password].flatMap(listTexts);
  const isWord = (text: string) => /^(true|false|null|none|\d+)$/i.test(text.trim());
  return union(listMarkedValues(declaration), toRedacted(likely.filter((text) => !isWord(text))));
}

/** What the program marks as secret: no message of another resource may repeat that either. */
export function listMarkedValues({ resource: { secretNames = [] }, inputs }: Declared<object>): string[] {
  return toRedacted(secretNames.flatMap((name) => listTexts((inputs as Properties)[name])));
}

function toRedacted(secrets: readonly string[]): string[] {
  const shown = secrets.map((text) => toPrintable(text).trim());
  return union(secrets, shown).filter((text) => text.length >= shortestSecret);
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts);
  return value === undefined || value === null ? [] : [String(value)];
}
