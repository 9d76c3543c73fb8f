import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { KnownFault } from './patched-source';

const sources = join(__dirname, '../../../provider/src');

/**
 * One fault for each row of the array `table` of a source file: the table without that row. The last row is left in if it always
 * fits: nothing could come after it.
 * @param file below provider/src
 */
export function withoutEachRow(file: string, text = readFileSync(join(sources, file), 'utf8')): KnownFault[] {
  const table = findTable(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  if (!table) throw new Error(`provider/src/${file} has no array that is exported as "table".`);
  const rows = table.elements.map((row) => row.getText());
  return rows.flatMap((row, index) => {
    if (index === rows.length - 1 && /when: \(\) => true/.test(row)) return [];
    const rest = rows.filter((_, other) => other !== index);
    return [
      { name: `without ${nameOf(row)}`, file, find: table.getText(), replace: `[${rest.join(',\n')}]` },
    ];
  });
}

function findTable(source: ts.SourceFile): ts.ArrayLiteralExpression | undefined {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (name.getText() === 'table' && initializer && ts.isArrayLiteralExpression(initializer))
        return initializer;
  }
  return undefined;
}

/** The step of the row; of a row that is not written out, its text. */
function nameOf(row: string): string {
  return /step: '([^']+)'/.exec(row)?.[1] ?? row;
}
