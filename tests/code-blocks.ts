/** The code blocks of a language below one heading of a Markdown page, subsections included; `''` for no language. */
export function findCodeBlocks(page: string, heading: string, language: string): string[] {
  const blocks: string[] = [];
  /** The level of the heading; 0 outside its section. */
  let level = 0;
  let isFound = false;
  // A `#` inside a code block is a comment, so blocks are matched whole.
  for (const [, fence, code = '', marks = '', title] of page.matchAll(
    /^```(\w*)\n([\s\S]*?)^```$|^(#+) (.*)$/gm,
  )) {
    if (title === undefined) {
      if (level > 0 && fence === language) blocks.push(code);
    } else if (title === heading) {
      level = marks.length;
      isFound = true;
    } else if (marks.length <= level) level = 0;
  }
  if (!isFound) throw new Error(`The page has no heading "${heading}".`);
  return blocks;
}

/** The one code block of a language below a heading. @throws Error when there is none, or more than one */
export function findCodeBlock(page: string, heading: string, language: string): string {
  const [block, ...others] = findCodeBlocks(page, heading, language);
  if (block !== undefined && others.length === 0) return block;
  throw new Error(`"${heading}" needs exactly one \`\`\`${language} block.`);
}
