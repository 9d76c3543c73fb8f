#!/usr/bin/env node
import { exitCodes } from './exit-codes';
import { runCommand } from './program';
import { Screen } from './screen';

const screen = new Screen(process.stdout, process.stderr, process.env);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads the results has seen enough (`| head`).
  if (error.code === 'EPIPE') process.exit();
  screen.sayError(`The results can't be written: ${error.message}.`);
  process.exit(exitCodes.unexpected);
});
// Nobody hears what is said meanwhile; the work goes on.
process.stderr.on('error', () => undefined);

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => {
    if (screen.progress.end()) screen.say('Interrupted: what the service is doing goes on.');
    // The terminal has shown ^C, and the prompt is not to stand behind it.
    else if (process.stderr.isTTY) process.stderr.write('\n');
    process.exit(128 + number);
  });
}

process.on('uncaughtException', (error) => {
  screen.sayError(`This should not happen: ${error.message}`);
  process.exit(exitCodes.unexpected);
});

void runCommand(process.argv.slice(2), { environment: process.env, screen }).then((exitCode) => {
  process.exitCode = exitCode;
});
