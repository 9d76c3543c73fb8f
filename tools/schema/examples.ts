import { codeBlock } from '../../tests/support/documents';

/** The program of a page in each language, all of which tests run. The Registry's names for the languages. */
function readPrograms(page: string): [string, string][] {
  return [
    ['typescript', withPlugin(codeBlock(page, 'ts', 'TypeScript'))],
    ['python', codeBlock(page, 'python', 'Python')],
    ['go', codeBlock(page, 'go', 'Go')],
    ['yaml', codeBlock(page, 'yaml', 'YAML')],
  ];
}

/** A program in TypeScript with the class of the plugin, which is what the Registry describes. */
function withPlugin(program: string): string {
  const line = codeBlock('README.md', 'ts', 'TypeScript with the plugin');
  return program.replace(/^import .*'pulumi-postgres-compute';\n/m, line);
}

/** A section of a resource's description, from which each SDK takes the example in its language. */
export function toExamples(page: string, title: string): string {
  const blocks = readPrograms(page).map(([name, code]) => `\`\`\`${name}\n${code}\`\`\`\n`);
  const example = `{{% example %}}\n### ${title}\n\n${blocks.join('\n')}\n{{% /example %}}`;
  return `{{% examples %}}\n## Example Usage\n\n${example}\n{{% /examples %}}`;
}

/** The Registry's chooser, which shows the program in the reader's language. */
export function toChooser(): string {
  const programs = readPrograms('README.md');
  const choices = programs.map(
    ([name, code]) =>
      `{{% choosable language ${name} %}}\n\n\`\`\`${name}\n${code}\`\`\`\n\n{{% /choosable %}}\n`,
  );
  const languages = programs.map(([name]) => name);
  return `{{< chooser language "${languages.join(',')}" >}}\n${choices.join('\n')}\n{{< /chooser >}}\n`;
}
