// Run as a process of its own by run-command.mjs, as the head of a process group: node leash.mjs COMMAND ARGUMENTS
// It runs the command, and ends the whole group when its standard input closes: that happens also when the set-up
// is killed without warning, and an npm ci that lives on would spoil the next one.
import { spawn } from 'node:child_process';

const KILL_AFTER_MS = 2_000;
const NOT_STARTED = 127;

const [, , command = '', ...args] = process.argv;
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

process.on('SIGTERM', () => {}); // Ours, sent to the group: the command ends first, then this process.
process.stdin.resume().on('close', () => {
  process.kill(-process.pid, 'SIGTERM');
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), KILL_AFTER_MS);
});

child.once('error', (error) => {
  process.stderr.write(`${command} could not be started: ${error.message}\n`);
  process.exit(NOT_STARTED);
});
child.once('exit', (code, signalName) => {
  if (code === null) process.stderr.write(`${command} was ended by ${signalName}\n`);
  process.exit(code ?? 1);
});
