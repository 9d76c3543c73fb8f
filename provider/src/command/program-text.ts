import { toPrintableJson } from '../control-api/printable';

// Pulumi protects imported resources in the state, so the program must set `protect` too. It assigns no variable that it does
// not use: that can fail a build, and an exported one becomes a stack output.
export function writeResource(
  type: string,
  name: string,
  values: readonly (readonly [string, string])[],
): string {
  const lines = values.map(([argument, text]) => (argument === text ? text : `${argument}: ${text}`));
  return [
    `new ${type}(${toTypeScript(name)}, {`,
    ...lines.map((line) => `  ${line},`),
    '}, { protect: true });',
  ].join('\n');
}

/** A string, number, boolean, or a list or map of them as TypeScript source. */
export function toTypeScript(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(toTypeScript).join(', ')}]`;
  const properties = Object.entries(value).map(
    ([key, property]) => `${toKey(key)}: ${toTypeScript(property)}`,
  );
  return properties.length > 0 ? `{ ${properties.join(', ')} }` : '{}';
}

function toKey(key: string): string {
  // Without brackets, the key would set the prototype.
  if (key === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

/** A string literal in single quotes. Quotes, line breaks and invisible characters are escaped. */
function quote(text: string): string {
  const inner = toPrintableJson(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}
