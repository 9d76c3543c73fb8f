import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedProcess, startGuarded } from './guarded-process';
import { makeServerFolder, writeServerFile } from './server-files';

export interface ServerStart {
  readonly program: string;
  readonly data: string;
  readonly sockets: string;
  /** Settings that the configuration files cannot change. */
  readonly flags: Readonly<Record<string, string>>;
  /**
   * How long it may take until it accepts connections. @default no limit: a recovery that is ended begins again from the same
   * place, and how long it takes is up to the clients, such as by the number of their unlogged tables
   */
  readonly longestMs?: number;
  readonly signal: AbortSignal;
}

const READY_POLL_MS = 10;
const LONGEST_STOP_MS = 15_000;
/** More than comes at once, so that no line is missed. */
const LOG_TAIL_LENGTH = 100_000;
const LONGEST_REASON = 4000;
/** The log always looks the same, and each message begins with the kind of the process, which is another one for clients. */
const LOG_FORM = {
  log_min_messages: 'warning',
  log_error_verbosity: 'default',
  log_line_prefix: '%b ',
  lc_messages: 'C',
};
/** The log of a standby whose source has removed what it needs, or has higher limits: it tries again, or waits, without end. */
const LEFT_BEHIND =
  /\n(walreceiver FATAL: +could not receive data from WAL stream: .* has already been removed|startup WARNING: +hot standby is not possible because of insufficient parameter settings)/;
/** Larger than any. */
const NO_PROCESS_ID = 2 ** 31 - 1;

export class PostgresServer {
  readonly sockets: string;
  readonly #start: ServerStart;
  readonly #child: GuardedProcess;
  #log = '';

  private constructor(child: GuardedProcess, start: ServerStart) {
    this.#child = child;
    this.#start = start;
    this.sockets = start.sockets;
    child.stderr.on('data', (part: Buffer) => {
      this.#log = (this.#log + part).slice(-LOG_TAIL_LENGTH);
    });
  }

  /** Resolves when it accepts connections. @throws Error with Postgres's reason if it does not start, or the signal's */
  static async start(start: ServerStart): Promise<PostgresServer> {
    const { program, data, sockets, flags, longestMs = Number.POSITIVE_INFINITY, signal } = start;
    makeServerFolder(sockets);
    await endOrphans(start);
    const place = { listen_addresses: '', unix_socket_directories: sockets, port: '5432' };
    const settings = { ...place, ...LOG_FORM, ...flags };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = startGuarded(program, ['-D', data, ...args]);
    const server = new PostgresServer(child, start);
    const untilMs = Date.now() + longestMs;
    while (!isReady(data, child.pid)) {
      const isLate = Date.now() > untilMs;
      // While it prepares its memory, it accepts no other signal.
      if (isLate) child.kill('SIGKILL');
      else if (signal.aborted) child.kill('SIGQUIT');
      if (!server.hasExited) await delay(READY_POLL_MS);
      else if (signal.aborted) throw signal.reason;
      else if (isLate) throw new Error(`Postgres was not ready after ${longestMs / 1000} s`);
      else throw new Error(`Postgres did not start: ${server.#reason()}`);
    }
    return server;
  }

  get socket(): string {
    return join(this.sockets, '.s.PGSQL.5432');
  }

  get hasExited(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null || signalCode !== null;
  }

  /** Does work once when the server, a standby, can never follow its source again. */
  whenLeftBehind(work: () => void): void {
    const { stderr } = this.#child;
    const look = (): void => {
      if (!LEFT_BEHIND.test(this.#log)) return;
      stderr.off('data', look);
      work();
    };
    stderr.on('data', look);
  }

  reload(): void {
    this.#child.kill('SIGHUP');
  }

  /**
   * Fast shutdown: every client gets "terminating connection due to administrator command". If it takes too long, such as
   * with a process that hangs, immediate shutdown: the next start recovers the data from the write-ahead log. A server that
   * takes no signal is killed.
   */
  async stop(): Promise<void> {
    if (!this.hasExited) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGINT');
      const signals: NodeJS.Signals[] = ['SIGQUIT'];
      const timer = setInterval(() => this.#child.kill(signals.pop() ?? 'SIGKILL'), LONGEST_STOP_MS);
      await exited;
      clearInterval(timer);
    }
    // It may have been killed.
    await endOrphans(this.#start);
  }

  /** The last lines of the log, without the kind of the process. */
  #reason(): string {
    const lines = this.#log.slice(-LONGEST_REASON).trim().split('\n').slice(-3);
    return lines.map((line) => line.replace(/^[a-z ]+ (LOG|FATAL|PANIC|DETAIL|HINT): +/, '')).join('; ');
  }
}

/**
 * A server that was killed can leave processes that still run a query, and Postgres starts no other on the same data; nor
 * where another process has got the id that the file of a killed one holds. No one else uses the folder. Where there is no
 * /proc, as on macOS, the start fails until they have ended.
 */
async function endOrphans({ data, program }: ServerStart): Promise<void> {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file) || !existsSync('/proc')) return;
  const folder = realpathSync(data);
  const isOrphan = (id: string) => linkOf(id, 'cwd') === folder && linkOf(id, 'exe')?.startsWith(program);
  const findIn = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOrphan(name));
  const untilMs = Date.now() + LONGEST_STOP_MS;
  for (let found = findIn(); found.length > 0 && Date.now() < untilMs; found = findIn()) {
    for (const id of found) attempt(() => process.kill(Number(id), 'SIGKILL'));
    await delay(READY_POLL_MS);
  }
  // Postgres still looks whether anyone uses the shared memory that the rest of the file names.
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeServerFile(file, [NO_PROCESS_ID, ...rest].join('\n'));
}

const linkOf = (processId: string, name: 'cwd' | 'exe') =>
  attempt(() => readlinkSync(`/proc/${processId}/${name}`));

/** Postgres writes its process id into the first line of this file, and its status into the eighth. */
function isReady(data: string, processId: number | undefined): boolean {
  const lines = attempt(() => readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')) ?? [];
  return Number(lines[0]) === processId && lines[7]?.trim() === 'ready';
}

/** Undefined if it fails: a process has ended or belongs to another user, or a file is not written yet. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
