import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PulumiStack } from './pulumi-stack';

// Everything that a stack shows or stores, to be searched for secrets.

/** Every text file below the folder: state, its backups, history, logs. */
export async function readAll(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
}

/** The screens of commands, each of which may fail. */
export async function collectScreens(stack: PulumiStack, commands: readonly string[][]): Promise<string[]> {
  const texts: string[] = [];
  for (const command of commands) texts.push((await stack.try(...command)).screen);
  return texts;
}

/** The beginnings of the texts that contain one of the secrets, in plain text or as JSON escapes it. */
export function findLeaks(texts: readonly string[], secrets: readonly string[]): string[] {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const leaks = texts.filter((text) => spellings.some((spelling) => text.includes(spelling)));
  return leaks.map((text) => text.slice(0, 2_000));
}
