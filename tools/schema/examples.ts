import { codeBlock } from '../../tests/support/documents';

/** The pages with the smallest program, in each language. */
export const smallestPrograms = ['README.md', 'docs/plugin.md'] as const;

/** A program in each language, all of which tests run. The Registry's names for the languages. */
function readPrograms([page, pageOfOthers]: readonly [string, string]): [string, string][] {
  return [
    ['typescript', withPlugin(codeBlock(page, 'ts', 'TypeScript'))],
    ['python', codeBlock(pageOfOthers, 'python', 'Python')],
    ['go', codeBlock(pageOfOthers, 'go', 'Go')],
    ['yaml', codeBlock(page, 'yaml', 'YAML')],
  ];
}

/** A program in TypeScript with the class of the plugin, which is what the Registry describes. */
function withPlugin(program: string): string {
  const line = codeBlock('docs/plugin.md', 'ts', 'TypeScript');
  return program.replace(/^import .*'pulumi-postgres-compute';\n/m, line);
}

/** A section of a resource's description, from which each SDK takes the example in its language. */
export function toExamples(pages: readonly [string, string], title: string): string {
  const blocks = readPrograms(pages).map(([name, code]) => `\`\`\`${name}\n${code}\`\`\`\n`);
  const example = `{{% example %}}\n### ${title}\n\n${blocks.join('\n')}\n{{% /example %}}`;
  return `{{% examples %}}\n## Example Usage\n\n${example}\n{{% /examples %}}`;
}

/** The Registry's chooser, which shows the program in the reader's language. */
export function toChooser(): string {
  const programs = readPrograms(smallestPrograms);
  const choices = programs.map(
    ([name, code]) =>
      `{{% choosable language ${name} %}}\n\n\`\`\`${name}\n${code}\`\`\`\n\n{{% /choosable %}}\n`,
  );
  const languages = programs.map(([name]) => name);
  return `{{< chooser language "${languages.join(',')}" >}}\n${choices.join('\n')}\n{{< /chooser >}}\n`;
}
