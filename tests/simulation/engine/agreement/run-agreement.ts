import { Command } from 'commander';
import { toCount } from '../../../support/run-options';
import { findDifferences } from './find-differences';
import { runReal } from './real-side';
import { allScenarios } from './scenarios/all-scenarios';
import { runSimulated } from './simulated-side';
import type { StepTranscript } from './transcript';

interface Options {
  readonly only?: string;
  readonly parallel: number;
}

const command = new Command('agreement')
  .description(
    'Runs the same scenarios through the simulated engine and through the real CLI, and compares calls and state.',
  )
  .option('--only <text>', 'the scenarios whose name contains this text')
  .option('--parallel <count>', 'scenarios to run at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ only = '', parallel }: Options): Promise<void> {
  const chosen = allScenarios.filter(({ name }) => name.includes(only));
  // While one is simulated, the whole process is in virtual time.
  const simulated: StepTranscript[][] = [];
  for (const scenario of chosen) simulated.push(await runSimulated(scenario));
  const queue = chosen.map((scenario, index) => ({ scenario, simulated: simulated[index] ?? [] }));
  let differing = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { scenario } = next;
      const startedAt = Date.now();
      const differences = findDifferences(scenario, next.simulated, await runReal(scenario));
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      print(`${scenario.name}: ${differences.length === 0 ? 'agrees' : 'DIFFERS'} (${seconds} s)`);
      for (const line of differences) print(`  ${line}`);
      if (differences.length > 0) differing += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  print(`${chosen.length} scenarios, ${differing} differ`);
  process.exitCode = differing > 0 || chosen.length === 0 ? 1 : 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
