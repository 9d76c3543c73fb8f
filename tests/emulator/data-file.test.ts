import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import sqlite from 'node-sqlite3-wasm';
import { startEmulator } from 'postgres-control-emulator';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DataFile } from '../../emulator/src/data/data-file';
import { newDataFile, start } from '../support/data-emulator';
import { makeTemporaryFolder } from '../support/temporary-folder';

const root = dirname(require.resolve('postgres-control-emulator/package.json'));

describe('a data file', () => {
  it.skipIf(process.platform === 'win32')(
    'a data file is readable only for its user, even if it was not before',
    async () => {
      const data = newDataFile();
      writeFileSync(data, '');
      chmodSync(data, 0o644);
      const emulator = await start({ data });
      emulator.createProject();
      const modeOf = (file: string) => statSync(file).mode & 0o777;
      expect([modeOf(data), modeOf(`${data}-wal`)]).toEqual([0o600, 0o600]);
    },
  );

  it('drops ended operations and deleted objects after six months', async () => {
    const data = newDataFile();
    const first = await start({ data });
    const project = first.createProject();
    const [endpoint] = first.endpoints(project.id);
    first.deleteEndpoint(endpoint?.id ?? '');
    await first.stop();
    run(
      data,
      "UPDATE records SET document = json_set(document, '$.wire.updated_at', '2020-01-01T00:00:00Z')",
    );
    const second = await start({ data });
    expect([second.operations(project.id), second.branches(project.id)]).toMatchObject([
      [],
      [{ name: 'main' }],
    ]);
    expect(() => second.restarts(endpoint?.id ?? '')).toThrow('does not exist');
  });

  it.each<[string, (data: string) => void, RegExp]>([
    [
      'a text file',
      (data) => writeFileSync(data, 'no database '.repeat(1000)),
      /read: file is not a database; move/,
    ],
    [
      'a truncated file',
      (data) => truncateSync(data, 6000),
      /cannot be read: .*; move it away, with the folder .*\.db\.postgres if there is one/,
    ],
    [
      'a file with an incomplete document',
      (data) => run(data, "UPDATE records SET document = '{'"),
      /malformed JSON/,
    ],
    [
      'a database of another program',
      (data) => {
        rmSync(data);
        run(data, 'CREATE TABLE notes (text TEXT)');
      },
      /it is a database of another program; move/,
    ],
    [
      'a file from another version of the emulator',
      (data) => run(data, 'PRAGMA user_version = 9'),
      /another emulator wrote it \(data version 9, this one knows 4\)/,
    ],
  ])('rejects %s as a data file with a message, and leaves it unchanged', async (_case, spoil, message) => {
    const data = newDataFile();
    const emulator = await start({ data });
    emulator.createProject();
    await emulator.stop();
    spoil(data);
    const before = readFileSync(data);
    await expect(startEmulator({ data })).rejects.toThrow(message);
    await expect(startEmulator({ data })).rejects.toThrow(`the data file ${data} cannot be read`);
    expect(readFileSync(data).equals(before)).toBe(true);
  });

  it('rejects a data file that cannot be opened with a message', async () => {
    const folder = dirname(newDataFile());
    await expect(startEmulator({ data: folder })).rejects.toThrow(`${folder} cannot be opened: EISDIR`);
    const nowhere = join(folder, 'none', 'service.db');
    await expect(startEmulator({ data: nowhere })).rejects.toThrow(`${nowhere} cannot be opened: ENOENT`);
  });

  it('only one emulator at a time can use a data file, under any name', async () => {
    const data = newDataFile();
    await start({ data });
    const alias = `${data}-alias`;
    symlinkSync(data, alias);
    for (const name of [data, alias]) {
      await expect(startEmulator({ data: name })).rejects.toThrow(
        `the data file ${name} is in use by another emulator: stop that emulator, or choose another file`,
      );
    }
  });

  describe.runIf(process.platform === 'linux')('on Linux without flock', () => {
    beforeEach(() => {
      vi.stubEnv('PATH', makeTemporaryFolder());
      onTestFinished(() => {
        vi.unstubAllEnvs();
      });
    });

    it('without flock, only one emulator at a time can use a data file', async () => {
      const data = newDataFile();
      const emulator = await start({ data });
      await expect(startEmulator({ data })).rejects.toThrow('is in use by another emulator');
      await emulator.stop();
      await start({ data });
    });

    it('without flock, what a killed emulator has left is named', async () => {
      const data = newDataFile();
      mkdirSync(`${data}.lock`);
      await expect(startEmulator({ data })).rejects.toThrow(`left the folder ${data}.lock: remove it`);
    });
  });

  it('a data file contains nothing of a transaction that a kill interrupted', async () => {
    const data = newDataFile();
    const emulator = await start({ data });
    const { id } = emulator.createProject();
    await emulator.stop();
    // More than SQLite's cache holds, so that part of the transaction is on the disk when the process is killed.
    const program = `
      const { DataFile } = require(${JSON.stringify(join(root, 'dist/data/data-file.js'))});
      const row = (id, document) => ({ projectId: '${id}', kind: 'branches', id, document });
      const kill = row('kill', { toJSON: () => process.kill(process.pid, 'SIGKILL') });
      const branches = (text) => Array.from({ length: 400 }, (_, index) => {
        const wire = { created_at: '2026-01-01', text: 'x'.repeat(10_000) };
        return row('branch-' + index, { text, wire });
      });
      void DataFile.open(${JSON.stringify(data)}).then((file) => {
        file.write(branches('old'));
        file.write([...branches('new'), kill]);
      });`;
    await expect(promisify(execFile)(process.execPath, ['--eval', program])).rejects.toMatchObject({
      signal: 'SIGKILL',
    });
    const file = await DataFile.open(data);
    file.close();
    const count = "SELECT count(*) AS count FROM records WHERE document ->> '$.text' = ";
    expect([run(data, `${count}'old'`), run(data, `${count}'new'`)]).toEqual([{ count: 400 }, { count: 0 }]);
  });

  it('an emulator that cannot start releases its data file', async () => {
    const data = newDataFile();
    const { port } = await start({});
    await expect(startEmulator({ data, port })).rejects.toThrow('--port 0');
    const emulator = await start({ data });
    expect(emulator.projects()).toEqual([]);
  });
});

/** Runs a statement on a file that no emulator has open, and returns the first row. */
function run(data: string, sql: string): unknown {
  const database = new sqlite.Database(data);
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const row = database.get(sql);
  database.close();
  return row;
}
