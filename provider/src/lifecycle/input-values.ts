import * as z from 'zod';

/** How Pulumi spells a value that is not known yet, in what it hands to check and diff. */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Whether the value, or anything inside it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isUnknown);
}

/** Whether two times are the same instant, in any time zone. `Date` has only milliseconds. */
export function isSameInstant(left: unknown, right: unknown): boolean {
  const fractionOf = (time: unknown) => /\.(\d+)/.exec(String(time))?.[1]?.replace(/0+$/, '') ?? '';
  return Date.parse(String(left)) === Date.parse(String(right)) && fractionOf(left) === fractionOf(right);
}

export interface InputFailure {
  readonly property: string;
  readonly reason: string;
}

const idPattern = /^[a-z0-9-]{1,60}$/;

export const flag = z.boolean('must be true or false');

export function id(of: string) {
  const allowed = `the id of a ${of}: 1 to 60 lower-case letters, digits and hyphens`;
  return z.string(`must be ${allowed}`).regex(idPattern, `must be ${allowed}`);
}

export function textOfLength(longest: number) {
  const allowed = `must be 1 to ${longest} characters`;
  return z.string(allowed).min(1, allowed).max(longest, allowed);
}

/** A map whose change asks for something. @param does such as `restarts the compute` */
export function triggers(does: string) {
  return z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], 'must be text, a number, true or false'),
    `must be a map of values whose change ${does}`,
  );
}

/** The arguments of a type of resource. */
interface InputShape {
  /** Such as `a ComputeEndpoint`. */
  readonly of: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  /** What each required argument is for. */
  readonly required: Readonly<Record<string, string>>;
}

/** Everything wrong with the inputs, each with its property. Values that are not known yet are not judged. */
export function findShapeFailures(
  { of, shape, required }: InputShape,
  inputs: Readonly<Record<string, unknown>>,
): InputFailure[] {
  const absent = Object.keys(required).filter((name) => inputs[name] === undefined);
  const failures = absent.map((property) => ({ property, reason: `is required: it ${required[property]}` }));
  for (const [property, value] of Object.entries(inputs)) {
    if (value === undefined || isUnknown(value)) continue;
    const reason = Object.hasOwn(shape, property)
      ? describeIssue(shape[property]?.safeParse(value).error?.issues[0])
      : `is not an argument of ${of}; those are ${Object.keys(shape).join(', ')}, in TypeScript also timeouts`;
    if (reason) failures.push({ property, reason });
  }
  return failures;
}

/** What is wrong with a value, and where in it; undefined when nothing is. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (!issue) return undefined;
  return issue.path.length > 0 ? `${issue.path.join('.')} ${issue.message}` : issue.message;
}
