import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { messageOf } from '../control-api/control-api-error';
import { toPrintableJson } from '../control-api/printable';
import { CommandFailure, exitCodes } from './exit-codes';

/** Writes the file that `pulumi import --file` reads. */
export function writeImportFile(path: string, resources: readonly object[]): Promise<void> {
  return writeWholeFile(path, `${toPrintableJson({ resources })}\n`);
}

/**
 * Writes the text beside the file and renames that, so that a full disk or a kill leaves no truncated file.
 * @throws CommandFailure when it can't be written
 */
export async function writeWholeFile(file: string, text: string): Promise<void> {
  try {
    // A device or a pipe, such as /dev/stdout, must not be replaced.
    const isFile = await stat(file).then(
      (found) => found.isFile(),
      () => true,
    );
    await (isFile ? writeAside(await realpath(file).catch(() => file), text) : writeFile(file, text));
  } catch (cause) {
    throw new CommandFailure(exitCodes.unexpected, `Can't write ${file}: ${messageOf(cause)}.`, { cause });
  }
}

async function writeAside(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
