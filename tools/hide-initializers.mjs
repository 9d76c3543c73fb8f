import { Converter, ReflectionKind } from 'typedoc';

/**
 * Of a type that follows from a schema, the documentation would show the schema of each attribute as its default value.
 * @param {import('typedoc').Application} app
 */
export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE, (_context, reflection) => {
    if (!reflection.isDeclaration() || reflection.parent?.kindOf(ReflectionKind.Class)) return;
    if (reflection.kindOf(ReflectionKind.Property)) delete reflection.defaultValue;
  });
}
