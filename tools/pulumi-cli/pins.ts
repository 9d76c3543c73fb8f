import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const SDK = 'github.com/pulumi/pulumi/sdk/v3';
const versionVariable = `${SDK}/go/common/version.Version`;
const YAML = 'github.com/pulumi/pulumi-yaml';

/** The Go commands to build. `folder` has the go.mod and go.sum that pin them; the linker sets `versionVariable`. */
export const BINARIES = [
  { folder: 'cli', command: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi', versionVariable },
  { folder: 'language-nodejs', command: `${SDK}/nodejs/cmd/pulumi-language-nodejs`, versionVariable },
  { folder: 'language-nodejs', command: `${SDK}/python/cmd/pulumi-language-python`, versionVariable },
  { folder: 'language-go', command: `${SDK}/go/pulumi-language-go`, versionVariable },
  {
    folder: 'language-yaml',
    command: `${YAML}/cmd/pulumi-language-yaml`,
    versionVariable: `${YAML}/pkg/version.Version`,
  },
] as const;

type Binary = (typeof BINARIES)[number];

export const nameOf = ({ command }: Binary) => basename(command);

/** Comes from the SDK in node_modules, without a build. */
export const RESOURCE_PLUGIN = 'pulumi-resource-pulumi-nodejs';
/** A script that the language host for Python starts; it comes from the host's module. */
export const PYTHON_SCRIPT = 'pulumi-language-python-exec';

/** The version of a binary, for example `3.259.0`. */
export function pinnedVersion({ folder }: Binary = BINARIES[0]): string {
  return readModule(folder, /^require \S+ v(\S+)$/m);
}

/** The oldest Go that builds the pinned modules. */
export function oldestGo(): string {
  return readModule('cli', /^go (\S+)$/m);
}

function readModule(folder: string, line: RegExp): string {
  const file = join(__dirname, folder, 'go.mod');
  const found = line.exec(readFileSync(file, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${file} has no line ${line}: restore it.`);
  return found;
}

/** Changes when a pin does. */
export function hashPins(): string {
  const hash = createHash('sha256');
  for (const name of BINARIES.flatMap(({ folder }) => [`${folder}/go.mod`, `${folder}/go.sum`])) {
    const content = readFileSync(join(__dirname, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
