// The service's text is untrusted. On a terminal, a control character could move the cursor or set the title. In the
// log of a pipeline, a line that begins with `::` or contains `##[` is a command to the runner.

/** Control characters (C0, C1), format and bidi characters, line separators, unpaired surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const lineBreaks = /[\t\r\n\v\f\u0085\u2028\u2029]+/g;
/** The workflow commands of GitHub, and of Azure Pipelines and TeamCity. */
const commandAtStart = /^(\s*):(?=:)/;
const commandAnywhere = /#(?=#\w*\[)/g;

/** The text in one line, with invisible characters written as `\u` escapes. */
export function toPrintable(text: string): string {
  return text
    .replace(lineBreaks, ' ')
    .replace(unprintable, toEscape)
    .replace(commandAtStart, `$1${toEscape(':')}`)
    .replace(commandAnywhere, toEscape('#'));
}

/** JSON with invisible characters escaped. `indent` is in spaces; 0 makes one line. */
export function toPrintableJson(value: unknown, indent = 2): string {
  const json = JSON.stringify(value, undefined, indent) ?? 'null';
  return json
    .split('\n')
    .map((line) => line.replace(unprintable, toJsonEscapes).replace(commandAnywhere, toEscape('#')))
    .join('\n');
}

/** The character as a JSON escape. A character outside the basic plane takes two escapes. */
function toJsonEscapes(character: string): string {
  return character.split('').map(toEscape).join('');
}

function toEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** The first texts, and how many follow: `a, b and 3 more`. */
export function joinFirst(texts: readonly string[], most: number, more: string): string {
  const rest = texts.length - most;
  return texts.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} ${more}` : '');
}
