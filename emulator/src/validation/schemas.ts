import { z } from 'zod';

// The error of each schema completes the sentence "the attribute must be …".

/** For a value that the API describes and the emulator does not implement: `parse` makes it a 501. */
export const refusal = { params: { isRefused: true } };
/** Such an attribute. What asks for nothing is accepted: false, and an empty list or object. */
export const refused = z
  .unknown()
  .refine(
    (value) => value === false || (value instanceof Object && Object.keys(value).length === 0),
    refusal,
  );

export const text = z.string('a string');
export const flag = z.boolean('true or false');
export const number = z.number('a number');
export const id = textLike(/^[a-z0-9-]{1,60}$/, 'an id (1 to 60 of a-z, 0-9 and "-")');
export const region = textLike(/^[a-z0-9-]{1,40}$/, 'a region (1 to 40 of a-z, 0-9 and "-")');

export function textLike(pattern: RegExp, expected: string) {
  return z.string(expected).regex(pattern, expected);
}

/** Counts code points, as people do, not UTF-16 units. */
export function textOfLength(min: number, max: number) {
  return textLike(new RegExp(`^.{${min},${max}}$`, 'su'), `a string of ${min} to ${max} characters`);
}

/** Unlike `z.int()`, it also accepts numbers beyond 2^53. */
export function wholeNumber(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected).refine(Number.isInteger, expected);
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]) {
  return z.enum(choices, `one of ${choices.join(', ')}`);
}

/** An object with all of these attributes. It drops others, or rejects them if it is `strict()`. */
export function requiredAttributes<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? 'not an attribute of this request' : 'an object'),
  });
}

/** An object with any of these attributes. Like JSON, it does not accept an attribute that is undefined. */
export function attributes<Shape extends z.ZodRawShape>(shape: Shape) {
  return requiredAttributes(shape).exactPartial();
}

type Optional<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodExactOptional ? Name : never;
}[keyof Shape];

/** What an object with these attributes can be. The documentation shows its name, unlike that of `z.infer`. */
export type Accepted<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Omit<Shape, Optional<Shape>>]: z.infer<Shape[Name]>;
} & { readonly [Name in keyof Pick<Shape, Optional<Shape>>]?: z.infer<Shape[Name]> };
