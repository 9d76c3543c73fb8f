import { InvalidArgumentError } from 'commander';

/** Reads the value of an option that counts something. */
export function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

/** Reads a duration. Seconds. */
export function toSeconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d+)(s|m|h)?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('It must be a duration, such as 60s or 10m.');
  return Number(amount) * { s: 1, m: 60, h: 3_600 }[unit as 's' | 'm' | 'h'];
}
