import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { camelCase, isEqual, lowerFirst, omit, uniqWith, upperFirst } from 'lodash';
import ts from 'typescript';
import { branchType } from '../../provider/src/branch/branch-type';
import {
  dynamicBranch,
  dynamicDatabase,
  dynamicEndpoint,
  dynamicRole,
} from '../../provider/src/dynamic/provider-text';
import { endpointType } from '../../provider/src/endpoint/endpoint-type';
import { databaseType } from '../../provider/src/named/database-type';
import { roleType } from '../../provider/src/named/role-type';
import { smallestPrograms, toExamples } from './examples';
import { checker, exportedNames, listProperties, type Property, readExport } from './provider-types';
import { goImportPath, pluginDownloadURL, publication } from './publication';

const states = exportedNames.filter((name) => name.endsWith('State'));
const objectTypes = [
  'BranchRestoreSource',
  'PreloadLibraries',
  'SizeOutput',
  'UnsettledOperation',
  ...states,
];
const resources = {
  ComputeEndpoint: {
    type: endpointType,
    dynamic: dynamicEndpoint,
    example: toExamples(smallestPrograms, 'An endpoint that scales up to one compute unit'),
  },
  Branch: {
    type: branchType,
    dynamic: dynamicBranch,
    example: toExamples(['docs/branches.md', 'docs/branches.md'], 'A branch with an endpoint'),
  },
  Role: { type: roleType.type, dynamic: dynamicRole, example: '' },
  Database: { type: databaseType.type, dynamic: dynamicDatabase, example: '' },
};
const functions = exportedNames.filter((name) => name.startsWith('get'));

const respectSchemaVersion = true;
const language = {
  nodejs: { packageName: 'pulumi-postgres-compute-sdk', respectSchemaVersion },
  python: { packageName: 'pulumi_postgres_compute', pyproject: { enabled: true }, respectSchemaVersion },
  go: { importBasePath: goImportPath, respectSchemaVersion },
  csharp: { respectSchemaVersion },
  java: {},
};

/** The Pulumi package schema of the plugin, from the types and docstrings of the provider. */
export function makePackageSchema() {
  const text = readFileSync(join(__dirname, '../../provider/package.json'), 'utf8');
  const { version, license } = JSON.parse(text) as { version: string; license: string }; // This repository's own file.
  // No setting has `defaultInfo.environment`: SDKs would copy the environment, with the key, into the state.
  const { description, properties: settings } = toObject('ProviderArgs');
  const { repository, publisher, homepage, logo: logoUrl } = publication;
  return {
    name: 'postgres-compute',
    displayName: 'Postgres Compute',
    version,
    description:
      "A Pulumi provider for the compute endpoints and branches of serverless Postgres. It works with version 2 of Neon's API; it is not affiliated with Neon.",
    keywords: ['pulumi', 'neon', 'postgres', 'serverless', 'category/database', 'kind/native'],
    license,
    homepage,
    repository,
    publisher,
    logoUrl,
    pluginDownloadURL,
    language,
    config: { variables: settings },
    types: {
      ...byToken(['BranchInitSource', 'ComputeEndpointType'], toEnum),
      ...byToken(objectTypes, toObject),
    },
    provider: { description, inputProperties: settings },
    resources: byToken(Object.keys(resources), toResource),
    functions: byToken(functions, toFunction),
  };
}

function byToken(names: readonly string[], toSpec: (name: string) => object) {
  return Object.fromEntries(names.map((name) => [toToken(name), toSpec(name)]));
}

function toToken(name: string): string {
  return `postgres-compute:index:${name}`;
}

function toResource(name: string) {
  const { type, dynamic, example } = resources[name as keyof typeof resources];
  const args = toObject(`${name}Args`);
  // Programs of the plugin set the resource option `customTimeouts` instead.
  const inputProperties = omit(args.properties, 'timeouts');
  for (const argument of type.replacingArguments)
    inputProperties[argument] = { ...inputProperties[argument], willReplaceOnChanges: true };
  // A stack that moves here from the dynamic provider keeps its resources.
  const aliases = [{ type: dynamic.token }];
  const { description, ...object } = toObject(name);
  return {
    description: `${description}\n\n${example}`.trim(),
    ...object,
    inputProperties,
    requiredInputs: args.required,
    aliases,
  };
}

function toFunction(name: string) {
  const { description, type } = readExport(name);
  const [signature] = type.getCallSignatures();
  const [parameter] = signature?.parameters ?? [];
  const result = signature && toPluginResult(name, signature.getReturnType());
  if (!parameter || !result) throw new Error(`${name} must have a parameter and a result.`);
  const element = checker.getIndexTypeOfType(result, ts.IndexKind.Number);
  return {
    description,
    inputs: toProperties(checker.getTypeOfSymbol(parameter)),
    outputs: element ? toList(name, element) : toProperties(result),
  };
}

/** A function of a plugin returns an object, so the text of `getConnectionUri` is a property of a `ConnectionUri`. */
function toPluginResult(functionName: string, result: ts.Type) {
  const isOutput = result.getProperty('apply') !== undefined;
  return isOutput ? readExport(functionName.replace(/^get/, '')).type : checker.getAwaitedType(result);
}

/** A function of a plugin returns an object, so a list gets a name: in the result of `getOperations`, `operations`. */
function toList(functionName: string, element: ts.Type) {
  const name = lowerFirst(functionName.replace(/^get(Compute)?/, ''));
  const list = { type: 'array', items: refer(element.symbol.name), description: `The ${name}.` };
  return { properties: { [name]: list }, required: [name] };
}

function toEnum(name: string) {
  const { description, type } = readExport(name);
  const values = type.isUnion() ? type.types.filter((part) => part.isStringLiteral()) : [];
  const members = values.map(({ value }) => ({ name: upperFirst(camelCase(value)), value }));
  return { description, type: 'string', enum: members };
}

function toObject(name: string) {
  const { description, type } = readExport(name);
  return { description, type: 'object', ...toProperties(type) };
}

function toProperties(type: ts.Type) {
  const listed = listProperties(type);
  return {
    properties: Object.fromEntries(listed.map((property) => [property.name, toProperty(property)])),
    required: listed.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function toProperty({ node, description, tags }: Property): object {
  const integer = tags.has('integer') && { type: 'integer' };
  return { ...toType(node), ...integer, description, ...(tags.has('secret') && { secret: true }) };
}

function toType(node: ts.TypeNode): object {
  const text = node.getText();
  if (['string', 'number', 'boolean'].includes(text)) return { type: text };
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return { type: 'string' };
  if (ts.isArrayTypeNode(node)) return { type: 'array', items: toType(node.elementType) };
  if (ts.isUnionTypeNode(node)) {
    const parts = node.types.filter((part) => part.getText() !== 'undefined');
    const oneOf = uniqWith(parts.map(toType), isEqual);
    return oneOf[1] ? { oneOf } : { ...oneOf[0] };
  }
  if (!ts.isTypeReferenceNode(node)) throw new Error(`A schema has no type for ${text}.`);
  const argument = node.typeArguments?.at(-1);
  if (!argument) return refer(text);
  // Apart from Record, these are pulumi.Input and pulumi.Output.
  return text.startsWith('Record<')
    ? { type: 'object', additionalProperties: toType(argument) }
    : toType(argument);
}

function refer(name: string) {
  return { $ref: `#/types/${toToken(name)}` };
}
