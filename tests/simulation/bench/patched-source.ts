import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** A fault of the provider, as a patch of its source. */
export interface KnownFault {
  /** What the provider then does wrong. */
  readonly name: string;
  /** Below provider/src. */
  readonly file: string;
  /** The text to replace, which occurs once. */
  readonly find: string;
  readonly replace: string;
}

const sources = join(__dirname, '../../../provider/src');

/** The source with the fault. @throws Error when the patch no longer fits the source */
export async function patchSource({ name, file, find, replace }: KnownFault): Promise<string> {
  const parts = (await readFile(join(sources, file), 'utf8')).split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(
    `The patch "${name}" is stale: its text occurs ${parts.length - 1} times in provider/src/${file}, not once.`,
  );
}

/** Puts the fault into a bundle. */
export function patchPlugin(fault: KnownFault): Plugin {
  return {
    name: 'known fault',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(sources, fault.file)) return undefined;
        return { contents: await patchSource(fault), loader: 'ts' };
      });
    },
  };
}
