import { join } from 'node:path';
import ts from 'typescript';

const sourceFolder = join(__dirname, '../../provider/src');
const files = ['index.ts', 'resources/provider-args.ts'].map((file) => join(sourceFolder, file));
const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, strict: true });
export const checker = program.getTypeChecker();
const exported = program
  .getSourceFiles()
  .filter(({ fileName }) => files.includes(fileName))
  .flatMap((source) => checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)); // Of a module.

export const exportedNames = exported.map(({ name }) => name);

/** What the provider exports under this name, in whichever file it is declared. */
export function readExport(name: string) {
  const found = exported.find((symbol) => symbol.name === name);
  if (!found) throw new Error(`The provider does not export ${name}.`);
  const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  const isFunction = symbol.flags & ts.SymbolFlags.Function;
  const type = isFunction ? checker.getTypeOfSymbol(symbol) : checker.getDeclaredTypeOfSymbol(symbol);
  return { ...readDocstring(symbol), type };
}

export type Property = ReturnType<typeof listProperties>[number];

/** The documented properties of an object type. Those that a class inherits from the SDK are left out. */
export function listProperties(type: ts.Type) {
  return type.getProperties().flatMap((symbol) => {
    const node = symbol.valueDeclaration;
    if (!node || !(ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) || !node.type) return [];
    if (program.isSourceFileFromExternalLibrary(node.getSourceFile())) return [];
    const isRequired = !node.questionToken && !node.type.getText().includes('undefined');
    return [{ name: symbol.name, node: node.type, isRequired, ...readDocstring(symbol) }];
  });
}

/** The docstring as a description, with the default, and its tags. */
function readDocstring(symbol: ts.Symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  if (!text) throw new Error(`${checker.getFullyQualifiedName(symbol)} has no docstring.`);
  const tags = new Map(symbol.getJsDocTags().map((tag) => [tag.name, ts.displayPartsToString(tag.text)]));
  const whole = tags.has('default') ? `${text} Default: ${tags.get('default')}.` : text;
  // One line for each paragraph. The plugin has its own config namespace.
  const description = whole
    .replaceAll(/(?<!\n)\n(?!\n)/g, ' ')
    .replaceAll('postgresCompute:', 'postgres-compute:');
  return { description, tags };
}
