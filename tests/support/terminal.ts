import { join } from 'node:path';
import execa from 'execa';
import type { PulumiStack } from './pulumi-stack';

const script = join(__dirname, 'run-on-terminal.py');
const rows = 60;

/** Runs a command of the CLI on a terminal of this width. `screen` is what it shows at the moment. */
export function runOnTerminal(
  { command, folder, environment }: PulumiStack,
  columns: number,
  words: string[],
) {
  let shown = '';
  const ended = execa('python3', [script, String(columns), String(rows), command, ...words], {
    cwd: folder,
    env: { ...environment, TERM: 'xterm' },
    extendEnv: false,
    reject: false,
  });
  ended.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  return { ended, screen: () => drawScreen(shown, columns) };
}

const esc = String.fromCharCode(27);
/** A question to the terminal; a control sequence, with its number; or one character. */
const tokens = new RegExp(`${esc}\\].*?${esc}\\\\|${esc}\\[[?]?(\\d*)[\\d;]*([A-Za-z])|[^]`, 'g');

/** The lines that a terminal shows after these bytes, without colours. It knows what the CLI's display uses. */
function drawScreen(bytes: string, columns: number): string {
  const lines: string[][] = [];
  /** Lines that did not fit, and continue on the next one. */
  const wrapped = new Set<number>();
  let [row, column] = [0, 0];
  const put = (character: string) => {
    if (column === columns) {
      wrapped.add(row);
      [row, column] = [row + 1, 0];
    }
    const line = lines[row] ?? [];
    lines[row] = line;
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  };
  for (const [token, count, action] of bytes.matchAll(tokens)) {
    if (action === 'A') row = Math.max(0, row - Number(count || 1));
    else if (action === 'K') lines[row]?.splice(column);
    else if (token === '\n') {
      wrapped.delete(row);
      row += 1;
    } else if (token === '\r') column = 0;
    else if (token.length === 1 && token >= ' ') put(token);
  }
  const joined = Array.from(lines, (line = [], index) => line.join('') + (wrapped.has(index) ? '' : '\n'));
  return joined.join('');
}

const sampleIds = { ep: 'ep-cool-rain-12345678', br: 'br-cool-rain-12345678' };

/** The screen as a recording has it: with the same ids and durations each time, wrapped as on a terminal of this width. */
export function toRecording(screen: string, columns?: number): string {
  const lines = screen
    .replace(/\b(ep|br)-[a-z]+-[a-z]+-\d+/g, (_, kind: 'ep' | 'br') => sampleIds[kind])
    .replace(/\b\d+ ?s\b/g, (text) => (text.includes(' ') ? '4 s' : '4s'))
    .replace(/(running|ing \(4s\))\.+ */g, '$1  ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !line.startsWith('@ '));
  const shown = lines.filter((line, index) => line === '' || line !== lines[index - 1]);
  return shown
    .flatMap((line) => wrap(line, columns))
    .join('\n')
    .trim();
}

function wrap(line: string, columns = line.length): string[] {
  const parts = line.match(new RegExp(`.{1,${columns || 1}}`, 'g')) ?? [''];
  return parts.map((part) => part.trimEnd());
}
