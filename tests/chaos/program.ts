import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapValues } from 'lodash';
import type { Declaration } from '../simulation/user/program';
import { type DoorName, programDoors, usePlugin } from '../support/program-doors';

export const projectName = 'simulation';

// JSON is YAML.
const projectFile = JSON.stringify({
  name: projectName,
  main: 'index.js',
  runtime: { name: 'nodejs', options: { typescript: false } },
  plugins: usePlugin(),
});

/** JSON can't hold a secret, so `{ $secret: VALUE }` represents one. */
const programOf = (importPath: string) => `const { readFileSync } = require('node:fs');
const { secret } = require('@pulumi/pulumi');
const classes = require('${importPath}');
const toSecrets = (_key, value) => (value && Object.hasOwn(value, '$secret') ? secret(value.$secret) : value);
const declared = JSON.parse(readFileSync(__dirname + '/resources.json', 'utf8'), toSecrets);
const created = {};
for (const { type, name, args, outputs, options } of declared) {
  for (const [arg, [resource, output]] of Object.entries(outputs)) args[arg] = created[resource][output];
  created[name] = new classes[type](name, args, options);
}
`;

export async function writeProject(folder: string, door: DoorName): Promise<void> {
  await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
  await writeFile(join(folder, 'index.js'), programOf(programDoors[door].importPath));
  await writeFile(join(folder, 'package.json'), '{}');
  await writeFile(join(folder, 'resources.json'), '[]');
}

/** Writes what the program declares from now on. */
export async function declare(
  folder: string,
  door: DoorName,
  declarations: readonly Declaration[],
): Promise<void> {
  const resources = declarations.map((declaration) => {
    const { urn, args, timeoutSeconds, deletesFirst, importId, replaceOnChanges, references } = declaration;
    // The host of dynamic providers can import nothing into a program: there the user adopts the endpoint.
    const isAdopted = door === 'dynamic' && importId !== undefined;
    const timeouts = { create: timeoutSeconds, update: timeoutSeconds, delete: timeoutSeconds };
    return {
      type: urn.includes(':Branch::') ? 'Branch' : 'ComputeEndpoint',
      name: nameOf(urn),
      args: { ...args, timeouts, ...(isAdopted && { adopt: true }) },
      outputs: mapValues(references, ({ urn: other, output }) => [nameOf(other), output]),
      options: {
        ...(!deletesFirst && { deleteBeforeReplace: false }),
        ...(importId !== undefined && !isAdopted && { import: importId }),
        ...(replaceOnChanges && { replaceOnChanges }),
      },
    };
  });
  await writeFile(join(folder, 'resources.json'), JSON.stringify(resources));
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2);
}
