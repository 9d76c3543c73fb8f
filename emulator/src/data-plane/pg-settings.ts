import { type ExecFileException, execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { badRequest } from '../records/api-error';
import { asServer } from './guarded-process';
import { writeServerFile } from './server-files';

export type PgSettings = Readonly<Record<string, string>>;

/** A setting in Postgres's own list, the view pg_settings. */
export interface ListedSetting {
  readonly name: string;
  /** Who can set it, and when: `user` is every client in its session, `postmaster` only the start of a server. */
  readonly context: string;
  readonly category: string;
}

/**
 * Settings that any client can set in its session may be set for an endpoint, too. Those of the server only if they are
 * about its work and its resources: settings of other categories run programs, load libraries, name files, open ports,
 * decide who can log in, or break Postgres's own data. Postgres leaves them to the operator of a server, who is not the
 * client of the API.
 */
const SERVER_CATEGORIES =
  /^(Autovacuum|Vacuuming|Client Connection Defaults \/ (Locale|Statement)|Error Handling|Lock Management|Query Tuning|Replication \/ (Primary|Sending|Subscribers)|Reporting and Logging \/ Wh(at|en) |Resource Usage|Statistics|Version and Platform|Write-Ahead Log \/ (Checkpoints|Settings|Summarization))/;

/** Of other categories, but about the server's work: the first two are the emulator's own, and have no effect. */
const ALSO_ALLOWED = [
  'max_connections',
  'superuser_reserved_connections',
  'hot_standby_feedback',
  'max_standby_archive_delay',
  'max_standby_streaming_delay',
];

/**
 * Of those categories and contexts. The first loads libraries, the second is what standbys need, the third would end a long copy,
 * and the fourth turns off the rules with which no client changes Postgres's own roles. A prepared transaction keeps its locks when
 * a server starts again, and one on pg_authid, which any client can have, keeps everyone out. The last two choose memory that
 * outlives a server that is killed.
 */
const ALSO_REFUSED = [
  'local_preload_libraries',
  'wal_level',
  'idle_replication_slot_timeout',
  'session_replication_role',
  'max_prepared_transactions',
  'shared_memory_type',
  'dynamic_shared_memory_type',
];

/** Extensions whose settings run no program and name no file or library. Other extensions are unknown to the emulator. */
const EXTENSIONS =
  /^(auto_explain|hnsw|ivfflat|pg_hint_plan|pg_stat_statements|pg_trgm|pgaudit|pgcrypto|plpgsql)\.[a-z_][a-z0-9_$]*$/;

/** Of these extensions, the libraries that do nothing before a client uses them. */
const LIBRARIES = /^(auto_explain|pg_hint_plan|pg_stat_statements|pgaudit)$/;

const LONGEST_CHECK_MS = 5000;

/** What `pg_settings` the endpoints may have, and how they reach their servers. */
export class SettingRules {
  readonly #listed: ReadonlyMap<string, ListedSetting>;
  readonly #program: string;
  readonly #template: string;
  /** One program at a time, so that many requests leave the processors to others. */
  #lastCheck: Promise<void> = Promise.resolve();

  /** @param template a folder of data, for which Postgres checks values */
  constructor(listed: readonly ListedSetting[], program: string, template: string) {
    this.#listed = new Map(listed.map((setting) => [setting.name.toLowerCase(), setting]));
    this.#program = program;
    this.#template = template;
  }

  checkAllowed(settings: PgSettings = {}, libraries: readonly string[] = []): void {
    for (const library of libraries)
      if (!LIBRARIES.test(library))
        throw badRequest(
          `preload_libraries: ${JSON.stringify(library)} is not allowed with the option postgres`,
        );
    for (const [name, value] of Object.entries(settings)) {
      if (value.includes('\0')) throw badRequest(`pg_settings.${name} must not contain NUL`);
      if (!/^[\w.$]+$/.test(name))
        throw badRequest(`pg_settings ${JSON.stringify(name)} is not a name of a setting`);
      if (EXTENSIONS.test(name.toLowerCase())) continue;
      const listed = this.#listed.get(name.toLowerCase());
      const why = listed === undefined ? `unrecognized configuration parameter "${name}"` : RESERVED;
      if (listed === undefined || !isAllowed(listed))
        throw badRequest(`pg_settings.${name} is not allowed with the option postgres: ${why}`);
    }
  }

  /** Asks Postgres itself. Rejects with an ApiError (400) if a setting is not allowed or a value is invalid. */
  async checkValues(settings: PgSettings = {}, libraries: readonly string[] = []): Promise<void> {
    this.checkAllowed(settings, libraries);
    const args = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    if (libraries.length > 0) args.push(`shared_preload_libraries=${libraries.join(',')}`);
    if (args.length === 0) return;
    const options = args.flatMap((setting) => ['-c', setting]);
    // To compute this one, Postgres loads the libraries.
    const shown = libraries.length > 0 ? 'shared_memory_size' : 'server_version';
    const check = this.#lastCheck.then(() => this.#run(['-C', shown, '-D', this.#template, ...options]));
    this.#lastCheck = check.catch(() => undefined);
    await check;
  }

  async #run(args: readonly string[]): Promise<void> {
    try {
      await promisify(execFile)(this.#program, args, { ...asServer(), timeout: LONGEST_CHECK_MS });
    } catch (error) {
      const { stderr = '', killed, code } = error as ExecFileException;
      const printed = /(?:FATAL|ERROR): +(.*)/.exec(stderr)?.[1] ?? stderr;
      const reason = killed ? `no answer within ${LONGEST_CHECK_MS / 1000} s` : printed || code;
      throw badRequest(`Postgres rejects these settings: ${reason}`);
    }
  }

  /** Those that take effect only when a server starts, and can prevent that. Of a library's, the emulator does not know. */
  ofStart(settings: PgSettings): PgSettings {
    const isOfStart = (name: string) =>
      name.includes('.') || this.#listed.get(name.toLowerCase())?.context === 'postmaster';
    return Object.fromEntries(Object.entries(settings).filter(([name]) => isOfStart(name)));
  }

  /** Writes the settings of an endpoint where its server reads them. @throws ApiError if one is not allowed */
  write(data: string, settings: PgSettings): void {
    this.checkAllowed(settings);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${escapeValue(value)}'\n`);
    writeServerFile(join(data, 'postgresql.auto.conf'), lines.join(''));
  }
}

const RESERVED =
  'settings that run programs, load libraries, name files, or concern the network, logins or the integrity of data are reserved for the emulator';

function isAllowed({ name, context, category }: ListedSetting): boolean {
  if (ALSO_REFUSED.includes(name)) return false;
  return context === 'user' || SERVER_CATEGORIES.test(category) || ALSO_ALLOWED.includes(name);
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n');
}
