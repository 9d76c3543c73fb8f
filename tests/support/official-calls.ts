import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOfficialDescription } from './official-description';

/** What a description says about a call of the API. */
export interface OfficialCall {
  /** The path has the names of its parameters in braces. */
  readonly method: string;
  readonly path: string;
  /** The attributes of its body without attributes of their own, such as `endpoint.settings.pg_settings`. */
  readonly attributes: readonly string[];
  readonly queryParameters: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly $ref?: string;
}

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Description {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly parameters: Record<string, Parameter>;
  };
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** By what a path begins with, the next part of the calls that the emulator refuses. */
const REFUSED: Readonly<Record<string, string>> = {
  '': 'api_keys auth consumption_history users/me/projects projects/auth',
  '/organizations/*': 'api_keys billing invitations members projects vpc',
  '/projects/*':
    'advisors auth available_preload_libraries branch_anonymized jwks members permissions recover snapshots transfer_requests vpc_endpoints',
  '/projects/*/branches/*':
    'ai_gateway anonymize anonymized_status auth backup_schedule buckets compare_schema credentials custom-domains data-api finalize_restore functions logs masking_rules recover snapshot storage triggers',
};
const refusedPaths = Object.entries(REFUSED).flatMap(([start, parts]) =>
  parts.split(' ').map((part) => `${start}/${part}/`),
);

/** Whether a call, such as `GET /projects/{id}/jwks`, is one that the emulator is known not to serve. */
export function isKnownAsRefused(call: string): boolean {
  const path = `${call.split(' ')[1]}/`.replaceAll(/\{\w+\}/g, '*');
  return refusedPaths.some((refused) => path.startsWith(refused));
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The calls of the OpenAPI description. */
export function listDescribedCalls(): OfficialCall[] {
  const { paths, components } = readOfficialDescription<Description>();
  const leavesOf = (schema: Schema, prefix: string): string[] => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      return leavesOf(components.schemas[name] ?? {}, prefix);
    }
    if (schema.allOf !== undefined) return schema.allOf.flatMap((part) => leavesOf(part, prefix));
    if (schema.items !== undefined) return leavesOf(schema.items, prefix);
    const entries = Object.entries(schema.properties ?? {});
    if (entries.length === 0) return prefix === '' ? [] : [prefix];
    return entries.flatMap(([name, part]) => leavesOf(part, qualify(prefix, name)));
  };
  return Object.entries(paths).flatMap(([path, described]) =>
    Object.entries(described)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        attributes: leavesOf(requestBody?.content['application/json']?.schema ?? {}, ''),
        queryParameters: parameters
          .map((each) => components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each)
          .flatMap((each) => (each.in === 'query' ? [each.name] : [])),
      })),
  );
}

/** The calls of the SDK for TypeScript: it has some that the description lacks. */
export function listSdkCalls(): string[] {
  const code = readFileSync(join(__dirname, '../../node_modules/@neon/sdk/dist/client/sdk.gen.js'), 'utf8');
  const calls = code.matchAll(
    /^const \w+ = \(options\) => \(options\??\.client \?\? client\)(?:\.\w+)?\.(\w+)\(\{[\s\S]*?\burl: "([^"]+)"/gm,
  );
  return [...calls].map(([, method = '', path]) => `${method.toUpperCase()} ${path}`);
}

function qualify(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}
