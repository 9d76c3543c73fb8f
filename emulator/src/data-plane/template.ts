import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { SUPERUSER } from '../gateway/startup-packet';
import type { PostgresBinaries } from './find-postgres';
import { asServer, runGuarded } from './guarded-process';
import type { ListedSetting } from './pg-settings';
import { writeServerFile } from './server-files';

/** In this file, `initdb` writes who can log in how. The socket's folder is closed to other users of the machine. */
const HOST_ACCESS = `local replication ${SUPERUSER} scram-sha-256\nlocal all all scram-sha-256\n`;

/**
 * The roles of the API may write every view (`pg_write_all_data`), and a write through a view has the rights of the
 * view's owner: through pg_group, they would rename Postgres's own roles. So writes through the superuser's views do
 * nothing. Where a rule exists, Postgres meant the view to be written: pg_settings.
 */
const SEAL_VIEWS = `DO $$
  DECLARE open record;
  BEGIN
    FOR open IN
      SELECT view.oid::regclass AS name, event.name AS event
      FROM pg_class view, (VALUES ('INSERT', 8, '3'), ('UPDATE', 4, '2'), ('DELETE', 16, '4')) event (name, bit, code)
      WHERE view.relkind = 'v' AND pg_relation_is_updatable(view.oid, false) & event.bit <> 0
        AND NOT EXISTS (SELECT FROM pg_rewrite WHERE ev_class = view.oid AND ev_type::text = event.code)
    LOOP
      EXECUTE format('CREATE RULE emulator_no_%s AS ON %s TO %s DO INSTEAD NOTHING', lower(open.event), open.event, open.name);
    END LOOP;
  END $$`;

/**
 * Before version 16, one call can write a record of more than 1 GB to the log, with which no server starts again. A dump does
 * not show rights that a function has initially.
 */
const SEAL_LOG = `DO $$
  DECLARE open record;
  BEGIN
    FOR open IN SELECT oid, oid::regprocedure AS name FROM pg_proc WHERE proname = 'pg_logical_emit_message'
    LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', open.name);
      INSERT INTO pg_init_privs SELECT oid, 'pg_proc'::regclass, 0, 'i', proacl FROM pg_proc WHERE oid = open.oid;
    END LOOP;
  END $$`;

/** Creates an empty cluster, the template of all others. @throws Error with what Postgres printed */
export async function createTemplate(
  { initdb, postgres }: PostgresBinaries,
  template: string,
  passwordFile: string,
): Promise<void> {
  const unfinished = `${template}.new`;
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';
  const login = ['-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const form = ['-E', 'UTF8', `--locale=${locale}`, '--wal-segsize=1', '--no-sync', '--no-instructions'];
  await runGuarded(initdb, ['-D', unfinished, ...login, ...form]).catch(explainUser);
  // Every new database is a copy of one of these, or of another that is.
  for (const database of ['template0', 'template1', 'postgres'])
    for (const statement of [SEAL_VIEWS, SEAL_LOG])
      runWithoutServer(postgres, unfinished, database, statement);
  writeServerFile(join(unfinished, 'pg_hba.conf'), HOST_ACCESS);
  renameSync(unfinished, template);
}

function explainUser(error: Error): never {
  const [, uid] = /could not look up effective user ID (\d+)/.exec(error.message) ?? [];
  if (uid === undefined) throw error;
  throw new Error(
    `Postgres needs a user that has a name, and user ${uid} has none on this machine: add it to /etc/passwd, or run the emulator as another user`,
    { cause: error },
  );
}

export function listSettings({ postgres }: PostgresBinaries, template: string): ListedSetting[] {
  const query = "SELECT concat_ws('|', name, context, category) AS setting FROM pg_settings";
  const rows = runWithoutServer(postgres, template, 'template1', query).matchAll(/ setting = "(.*)"\t/g);
  return [...rows].map(([, row = '']) => {
    const [name = '', context = '', category = ''] = row.split('|');
    return { name, context, category };
  });
}

/** Runs a statement on a cluster whose server is down, with the right to change what Postgres has created. */
function runWithoutServer(postgres: string, data: string, database: string, statement: string): string {
  const options = ['--single', '-O', '-F', '-c', 'exit_on_error=on', '-D', data, database];
  const { status, stdout, stderr, error } = spawnSync(postgres, options, {
    ...asServer(),
    // A line is a statement.
    input: `${statement.replaceAll('\n', ' ')}\n`,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${postgres} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
