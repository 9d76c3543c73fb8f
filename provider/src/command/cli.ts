#!/usr/bin/env node
import { exitCodes } from './exit-codes';
import { runCommand } from './run-command';
import { Screen } from './screen';

const screen = new Screen(process.stdout, process.stderr, process.env);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the pipe has exited, as `| head` does.
  if (error.code === 'EPIPE') process.exit();
  screen.sayError(`Can't write the results: ${error.message}.`);
  process.exit(exitCodes.unexpected);
});
// If stderr is closed, messages are lost but the work continues.
process.stderr.on('error', () => undefined);

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => {
    if (screen.progress.end()) screen.say('Interrupted. Operations continue at the service.');
    // The terminal has echoed ^C, so the prompt needs a new line.
    else if (process.stderr.isTTY) process.stderr.write('\n');
    process.exit(128 + number);
  });
}

process.on('uncaughtException', (error) => {
  screen.sayError(`Unexpected error: ${error.message}`);
  process.exit(exitCodes.unexpected);
});

void runCommand(process.argv.slice(2), { environment: process.env, screen }).then((exitCode) => {
  process.exitCode = exitCode;
});
