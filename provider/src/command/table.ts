import { stripVTControlCharacters } from 'node:util';
import { toPrintable } from '../control-api/printable';
import type { Screen } from './screen';

/** Between two columns. */
const gap = '  ';

/** Lines of a table. A column never gets narrower, so that the parts of a long table stand below each other. */
export class GrowingTable {
  readonly #widths: number[];

  /** @param widths how wide the columns are at least, in characters */
  constructor(widths: readonly number[] = []) {
    this.#widths = [...widths];
  }

  layOut(rows: readonly (readonly string[])[]): string {
    for (const row of rows) {
      for (const [column, text] of row.entries())
        this.#widths[column] = Math.max(this.#widths[column] ?? 0, lengthOf(text));
    }
    return rows
      .map((row) =>
        row
          .map((text, column) => this.#pad(text, column))
          .join(gap)
          .trimEnd(),
      )
      .join('\n');
  }

  #pad(text: string, column: number): string {
    return text + ' '.repeat((this.#widths[column] ?? 0) - lengthOf(text));
  }
}

/** Labels and values below each other; a value that is not there takes no line. */
export function layOutLines(
  lines: readonly (readonly [label: string, value: string | undefined, paint?: (text: string) => string])[],
  { dim }: Screen['colors'],
): string {
  const shown = lines.flatMap(([label, value, paint = String]) =>
    value ? [[dim(label), paint(toPrintable(value))]] : [],
  );
  return new GrowingTable().layOut(shown);
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
