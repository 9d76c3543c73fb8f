import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVER_USER } from './server-files';

export type GuardedProcess = ChildProcessByStdio<Writable, null, Readable>;

/**
 * Becomes the program, and leaves a guard that waits for the end of a pipe: it closes without a line when the emulator
 * ends, even by kill -9. The guard is no child of the program, because Postgres minds children that it did not start.
 */
const GUARD =
  'exec 3<&0 </dev/null; ( ( read -r line <&3 || kill -QUIT $$ ) >/dev/null 2>&1 & ); exec "$@" 3<&-';

const LONGEST_WAIT_MS = 2000;
const MOST_LINES = 3;
/** A client's settings and names can be in it, of many megabytes. */
const LONGEST_LINE = 30_000;

/** Removes a folder when the pipe closes. Servers that are still ending may create files while it does. */
const SWEEP =
  'read -r line; for attempt in 1 2 3 4 5 6 7 8 9; do rm -rf "$1" && [ ! -e "$1" ] && exit; sleep 0.2; done 2>/dev/null';

/**
 * Starts a program of Postgres as the server user. It gets a SIGQUIT when the emulator ends, however it ends. A Ctrl-C in
 * the emulator's terminal does not reach it.
 * @throws Error when the system has no process or file descriptor left
 */
export function startGuarded(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): GuardedProcess {
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', program, ...args], {
    ...asServer(environment),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  child.on('error', () => undefined);
  // Neither its end nor its pipes would come.
  if (child.pid === undefined)
    throw new Error(
      `no process can be started for ${program}: the system has no more of them, or of open files`,
    );
  dismissAtExit(child);
  return child;
}

interface Run {
  /** Whether it may fail with this message. */
  readonly isHarmless?: (line: string) => boolean;
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Runs a program to its end. @throws Error with what it printed if it fails */
export async function runGuarded(
  program: string,
  args: readonly string[],
  { isHarmless = () => false, environment, signal }: Run = {},
): Promise<void> {
  const child = startGuarded(program, args, { LC_ALL: 'C', ...environment }, signal);
  let rest = '';
  let hasHarmless = false;
  // On a full disk there is one line for each file.
  const shown: string[] = [];
  const judge = (line: string): void => {
    if (isHarmless(line)) hasHarmless = true;
    else if (line !== '' && shown.length < MOST_LINES) shown.push(line.slice(0, LONGEST_LINE));
  };
  child.stderr.on('data', (part: Buffer) => {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop()?.slice(0, LONGEST_LINE) ?? '';
    lines.forEach(judge);
  });
  const [code, killedBy] = await once(child, 'close');
  signal?.throwIfAborted();
  judge(rest);
  if (code !== 0 && (killedBy || !hasHarmless || shown.length > 0))
    throw new Error(`${program} failed: ${shown.join('\n') || killedBy}`);
}

/**
 * Removes the folder when the returned function is called, or the emulator ends, however it ends. The function waits for
 * that, but not long: on some disks, thousands of files take seconds.
 */
export function removeAtEnd(folder: string): () => Promise<void> {
  const sweeper = spawn('/bin/sh', ['-c', SWEEP, 'sh', folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  sweeper.stdin.on('error', () => undefined); // It was killed.
  const swept = once(sweeper, 'exit');
  return async () => {
    sweeper.stdin.end();
    sweeper.unref();
    await waitAtMost(LONGEST_WAIT_MS, swept);
  };
}

export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([work, delay(ms, undefined, waited)]).finally(() => waited.abort());
}

/** What the programs need to run, with their language, time zone, libraries and the names of users. */
const PASSED_ON = /^(PATH|TMPDIR|LANG|LOCPATH|LOCALE_ARCHIVE|(LC|LD|DYLD|NSS_WRAPPER)_.*|TZ(DIR)?)$/;

/**
 * How to run a program of Postgres: as the server user, with nothing else of the environment, which has secrets: a client
 * may read it by a language such as PL/Perl.
 */
export function asServer(environment: NodeJS.ProcessEnv = {}) {
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return { ...SERVER_USER, cwd: '/', env: { ...Object.fromEntries(passedOn), ...environment } };
}

/** Tells the guard that the program has ended by itself, so that it kills no later process with the same id. */
function dismissAtExit(child: ChildProcess & { stdin: Writable }): void {
  child.stdin.on('error', () => undefined); // The guard has gone.
  child.once('exit', () => child.stdin.end('\n'));
}
