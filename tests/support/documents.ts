import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const repository = resolve(__dirname, '../..');

/** The code blocks of a language under one heading of a document, or in all of it. */
export function codeBlocks(document: string, language: string, heading?: string): string[] {
  const text = readFileSync(join(repository, document), 'utf8');
  const section = heading === undefined ? text : sectionOf(text, heading);
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

/** The only code block of a language under a heading of a document. */
export function codeBlock(document: string, language: string, heading: string): string {
  const [block, ...others] = codeBlocks(document, language, heading);
  if (block === undefined || others.length > 0)
    throw new Error(`"${heading}" of ${document} does not have one ${language || 'plain'} code block.`);
  return block;
}

/** The text from a heading to the next one. A line of a code block that starts with # is not a heading. */
function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  let isCode = false;
  let isInside = false;
  const inside = lines.filter((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    const title = isCode ? undefined : /^#+ (.*)$/.exec(line)?.[1];
    if (title !== undefined) isInside = title === heading;
    return isInside;
  });
  return inside.join('\n');
}
