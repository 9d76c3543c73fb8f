import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapValues } from 'lodash';
import { usePlugin } from '../../../support/program-doors';
import type { Registration } from './agreement-ground';
import type { AgreementScenario } from './agreement-scenario';
import { project, urnOf } from './transcript';

/** Writes the program that registers these resources, in the language of the scenario. */
export async function writeProgram(
  folder: string,
  registrations: readonly Registration[],
  { language = 'yaml' }: Pick<AgreementScenario, 'language'>,
): Promise<void> {
  const plugins = usePlugin(join(folder, 'plugin'));
  if (language === 'nodejs') {
    await writeFile(join(folder, 'index.js'), toScript(registrations));
    await writeManifest(folder, { name: project, runtime: 'nodejs', main: 'index.js', plugins });
    return;
  }
  const resources = Object.fromEntries(registrations.map((each) => [each.name, toYaml(each)]));
  await writeManifest(folder, { name: project, runtime: 'yaml', plugins, resources });
}

/** JSON is YAML. */
async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(
    join(folder, 'Pulumi.yaml'),
    JSON.stringify(manifest).replaceAll('"$secret":', '"fn::secret":'),
  );
}

function toYaml(registration: Registration): object {
  const { type, args, references, dependsOn } = registration;
  const options = {
    ...toOptions(registration),
    ...(dependsOn.length > 0 && { dependsOn: dependsOn.map((other) => `\${${other}}`) }),
  };
  const outputs = mapValues(references, ({ of, output }) => `\${${of}.${output}}`);
  return { type: `postgres-compute:${type}`, properties: { ...args, ...outputs }, options };
}

/** The resource options that are plain values. */
function toOptions(registration: Registration) {
  const { type, timeoutSeconds, createsBeforeDelete, importId, replaceOnChanges } = registration;
  const { aliases, retainOnDelete } = registration;
  const timeout = `${timeoutSeconds}s`;
  return {
    customTimeouts: { create: timeout, update: timeout, delete: timeout },
    deleteBeforeReplace: !createsBeforeDelete,
    import: importId,
    replaceOnChanges,
    ...(aliases.length > 0 && { aliases: aliases.map((alias) => urnOf(alias, type)) }),
    ...(retainOnDelete && { retainOnDelete }),
  };
}

/** What a resource refers to must come before it. */
function toScript(registrations: readonly Registration[]): string {
  const statements = registrations.map((registration) => {
    const { name, type, args, references, dependsOn } = registration;
    const outputs = Object.entries(references).map(
      ([argument, { of, output }]) => `${argument}: ${of}.${output}`,
    );
    const options = `{ ...${JSON.stringify(toOptions(registration))}, dependsOn: [${dependsOn}] }`;
    return `const ${name} = new pulumi.CustomResource('postgres-compute:index:${type}', '${name}', { ...${JSON.stringify(args)}, ${outputs} }, ${options});`;
  });
  return ["const pulumi = require('@pulumi/pulumi');", ...statements, ''].join('\n');
}
