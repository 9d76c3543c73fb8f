import { writeFile } from 'node:fs/promises';
import { messageOf } from '../control-api/control-api-error';
import { toPrintableJson } from '../control-api/printable';
import { CommandFailure, exitCodes } from './exit-codes';

/** Writes the file that `pulumi import --file` reads. */
export async function writeImportFile(path: string, resources: readonly object[]): Promise<void> {
  await writeFile(path, `${toPrintableJson({ resources })}\n`).catch((cause: unknown) => {
    throw new CommandFailure(exitCodes.unexpected, `Can't write ${path}: ${messageOf(cause)}.`, { cause });
  });
}

/** The text as one word of a shell. */
export function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
