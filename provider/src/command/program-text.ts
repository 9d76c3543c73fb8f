import { toPrintableJson } from '../control-api/printable';
import { argumentNames } from '../endpoint/argument-effects';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';

/** An endpoint of the program: the name of the resource, and its arguments. */
export interface DeclaredEndpoint {
  readonly name: string;
  readonly declared: EndpointInputs;
}

/** A whole TypeScript program that declares these endpoints, all of one project. */
export function writeProgram(projectId: string, endpoints: readonly DeclaredEndpoint[]): string {
  return [
    `import { ComputeEndpoint } from 'pulumi-postgres-compute';`,
    `const projectId = ${toTypeScript(projectId)};`,
    ...endpoints.map(writeEndpoint),
  ].join('\n\n');
}

// Protected, as in what Pulumi's own import prints: the state is, and the program has to say the same.
// No variable, no export: an unused variable can fail a build, and an exported resource would be a stack output.
function writeEndpoint({ name, declared }: DeclaredEndpoint): string {
  const lines = argumentNames.flatMap((argument) => {
    if (argument === 'projectId') return ['  projectId,'];
    const value = declared[argument];
    return value === undefined ? [] : [`  ${argument}: ${toTypeScript(value)},`];
  });
  return [`new ComputeEndpoint(${toTypeScript(name)}, {`, ...lines, '}, { protect: true });'].join('\n');
}

/** A text, number, truth value or a map of them as TypeScript. */
export function toTypeScript(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const properties = Object.entries(value).map(
    ([key, property]) => `${toKey(key)}: ${toTypeScript(property)}`,
  );
  return properties.length > 0 ? `{ ${properties.join(', ')} }` : '{}';
}

function toKey(key: string): string {
  // Without the brackets it would set the prototype.
  if (key === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

/** In single quotes; everything that could end the text or a line is escaped. */
function quote(text: string): string {
  const inner = toPrintableJson(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}
