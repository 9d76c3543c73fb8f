/** The files below a folder, as sorted relative names; none when the folder does not exist. */
export function listFiles(folder: string): string[];
/** One hash over the names and contents of files; an absent file is part of it. */
export function hashContents(root: string, names: readonly string[]): string;
/** One hash over the names and sizes of files: for outputs, which are many and which nobody edits. */
export function hashSizes(root: string, names: readonly string[]): string;
/** What a stamp file holds, or undefined when it is absent or not JSON. */
export function readStamp(file: string): Record<string, unknown> | undefined;
/** Writes a stamp in one step: a reader sees the old one or the new one. */
export function writeStamp(file: string, stamp: Record<string, unknown>): void;
