// What the service sends is shown on a terminal, where a control character could move the cursor or worse.
const controlCharacters = /[\p{Cc}\u2028\u2029]+/gu;

/** The text in one line, without control characters. */
export function toPrintable(text: string): string {
  return text.replace(controlCharacters, ' ');
}
