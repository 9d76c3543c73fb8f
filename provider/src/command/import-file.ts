import { toPrintableJson } from '../control-api/printable';
import { writeWholeFile } from './write-file';

/** Writes the file that `pulumi import --file` reads. */
export function writeImportFile(path: string, resources: readonly object[]): Promise<void> {
  return writeWholeFile(path, `${toPrintableJson({ resources })}\n`);
}

/** The text as one word of a shell. */
export function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
