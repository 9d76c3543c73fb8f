import { stripVTControlCharacters } from 'node:util';
import { toPrintable } from '../control-api/printable';
import type { Screen } from './screen';

const columnGap = '  ';

/** A table that is printed in parts. Columns never become narrower, so that the parts line up. */
export class GrowingTable {
  readonly #widths: number[] = [];
  #head: readonly (readonly string[])[];

  /** @param head the column titles, shown above the first rows */
  constructor(head: readonly string[] = []) {
    this.#head = head.length > 0 ? [head] : [];
  }

  /** The next part of the table. */
  layOut(rows: readonly (readonly string[])[]): string {
    const lines = [...this.#head, ...rows];
    this.#head = [];
    for (const [column, text] of lines.flatMap((line) => [...line.entries()]))
      this.#widths[column] = Math.max(this.#widths[column] ?? 0, lengthOf(text));
    return lines.map((line) => this.#layOutLine(line)).join('\n');
  }

  #layOutLine(texts: readonly string[]): string {
    const cells = texts.map((text, column) => {
      const width = this.#widths[column] ?? 0;
      return text + ' '.repeat(width - lengthOf(text));
    });
    return cells.join(columnGap).trimEnd();
  }
}

/** One line for each label and value. Absent and empty values have no line. */
export function layOutDetails(
  details: readonly (readonly [label: string, value: string | undefined, paint?: (text: string) => string])[],
  { dim }: Screen['colors'],
): string {
  const shown = details.flatMap(([label, value, paint = String]) =>
    value ? [[dim(label), paint(toPrintable(value))]] : [],
  );
  return new GrowingTable().layOut(shown);
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
