import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Go commands to build; `folder` has the go.mod and go.sum that pin `module`. */
export const BINARIES = [
  {
    name: 'pulumi',
    folder: 'cli',
    module: 'github.com/pulumi/pulumi/pkg/v3',
    command: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi',
  },
  {
    name: 'pulumi-language-nodejs',
    folder: 'language-nodejs',
    module: 'github.com/pulumi/pulumi/sdk/v3',
    command: 'github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs',
  },
] as const;

type Binary = (typeof BINARIES)[number];

/** The version of a binary, for example `3.259.0`. */
export function pinnedVersion({ folder, module }: Binary = BINARIES[0]): string {
  const file = join(__dirname, folder, 'go.mod');
  const requirement = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([word, path]) => word === 'require' && path === module);
  if (requirement?.[2] === undefined)
    throw new Error(`${file} has no line \`require ${module} VERSION\`: restore it.`);
  return requirement[2].replace(/^v/, '');
}

/** The oldest Go that builds the pinned modules. */
export function oldestGo(): string {
  return /^go (\S+)$/m.exec(readFileSync(join(__dirname, 'cli/go.mod'), 'utf8'))?.[1] ?? '';
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
