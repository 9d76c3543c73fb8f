/** A client of a database can raise an error of 100 MB, which would be stored with its operation. */
const LONGEST = 2000;

/** The message of an error; any other thrown value as text. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  // As a part of the string, it would keep the whole in memory.
  return text.length <= LONGEST ? text : `${Buffer.from(text.slice(0, LONGEST))}…`;
}

/** Whether it is an error of Node.js with one of these codes, such as `ENOENT`. */
export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}
