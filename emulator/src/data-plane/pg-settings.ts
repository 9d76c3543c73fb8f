import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { badRequest } from '../records/api-error';
import { postgresEnvironment } from './guarded-process';
import { writeServerFile } from './server-user';

type PgSettings = Readonly<Record<string, string>>;

/**
 * Settings that run programs, load libraries, read or write other files, or that the emulator needs for itself. Postgres
 * leaves them to the operator of a server, who is not the client of the API.
 */
const REFUSED = [
  /_(commands?|file|filename|directory|directories|library|libraries|conninfo)$/,
  /^include/,
  /^(archive|bonjour|gss|krb|oauth|recovery|ssl|syslog|unix_socket)_/,
  /^(dynamic_library|extension_control)_path$/,
  /^(bonjour|event_source|hot_standby|jit_provider|listen_addresses|log_destination|log_file_mode)$/,
  /^(logging_collector|port|primary_slot_name|ssl|wal_level)$/,
];
const NAME = /^[a-z_][a-z0-9_$]*(\.[a-z_][a-z0-9_$]*)*$/;

/** @throws ApiError (400) for a setting that no endpoint may have */
export function checkAllowed(settings: PgSettings): void {
  for (const [given, value] of Object.entries(settings)) {
    const name = given.toLowerCase();
    if (value.includes('\0')) throw badRequest(`pg_settings.${given} must not contain NUL`);
    if (!NAME.test(name)) throw badRequest(`pg_settings ${JSON.stringify(given)} is not a name of a setting`);
    if (!REFUSED.some((pattern) => pattern.test(name))) continue;
    throw badRequest(
      `pg_settings.${given} is not allowed with the option postgres: settings that run programs, load libraries, name files or configure the network are reserved for the emulator`,
    );
  }
}

/** Asks Postgres itself. @throws ApiError (400) with its reason if it knows no such setting, or the value is invalid */
export function checkKnown(settings: PgSettings, program: string, data: string): void {
  checkAllowed(settings);
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  if (args.length === 0) return;
  const asked = spawnSync(program, ['-C', 'server_version', '-D', data, ...args], {
    env: postgresEnvironment(),
    encoding: 'utf8',
  });
  if (asked.status === 0) return;
  const reason =
    /(?:FATAL|ERROR): +(.*)/.exec(asked.stderr ?? '')?.[1] ?? asked.error?.message ?? asked.stderr;
  throw badRequest(`Postgres rejects these pg_settings: ${reason}`);
}

/** Writes the settings of an endpoint where its server reads them. @throws ApiError if one is not allowed */
export function writeSettings(data: string, settings: PgSettings): void {
  checkAllowed(settings);
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${escapeValue(value)}'\n`);
  writeServerFile(join(data, 'postgresql.auto.conf'), lines.join(''));
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n');
}
