import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startEmulator } from 'postgres-control-emulator';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DataFile } from '../../emulator/src/data/data-file';
import { newDataFile, start } from '../support/data-emulator';
import { makeTemporaryFolder } from '../support/temporary-folder';

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
      expect([modeOf(data), modeOf(`${data}.lock`)]).toEqual([0o600, 0o600]);
    },
  );

  it('drops ended operations and deleted objects after six months', async () => {
    const data = newDataFile();
    const first = await start({ data });
    const project = first.createProject();
    const [endpoint] = first.endpoints(project.id);
    first.deleteEndpoint(endpoint?.id ?? '');
    await first.stop();
    edit(data, (text) => text.replaceAll(/("updated_at":")[^"]+/g, '$12020-01-01T00:00:00Z'));
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
      (data) => writeFileSync(data, 'no data'),
      /cannot be read: it is not a data file of the emulator; move it away, with the folder .*\.db\.postgres if there is one/,
    ],
    ['a damaged file', (data) => edit(data, (text) => text.replace(':', '')), /not a data file/],
    ['a file with a damaged document', (data) => edit(data, (text) => text.replace('"wire":', '')), /JSON/],
    [
      'a file from another version of the emulator',
      (data) => edit(data, (text) => text.replace(/\d+/, '9')),
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

  it('rejects data of the option postgres without that option', async () => {
    const data = join(makeTemporaryFolder(), 'service.db');
    mkdirSync(`${data}.postgres`);
    await expect(startEmulator({ data })).rejects.toThrow(`data ${data} needs the option postgres`);
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
      mkdirSync(`${data}.locked`);
      await expect(startEmulator({ data })).rejects.toThrow(`left the folder ${data}.locked: remove it`);
    });
  });

  it.each([
    ['', () => undefined],
    [', also if it cannot be replaced', (data: string) => mkdirSync(`${data}.new`)],
  ])('drops a line that a kill interrupted, and writes on%s', async (_where, hinder) => {
    const data = newDataFile();
    const first = await start({ data });
    const { id } = first.createProject({ name: 'kept' });
    await first.stop();
    edit(data, (text) => `${text}[{"projectId":"${id}","kind":"projects","id":"${id}","docu`);
    hinder(data);
    const second = await start({ data });
    second.createBranch(id, { name: 'new' });
    await second.stop();
    const third = await start({ data });
    expect([third.projects(), third.branches(id)]).toMatchObject([
      [{ name: 'kept' }],
      [{ name: 'main' }, { name: 'new' }],
    ]);
  });

  it('a data file that grows is rewritten, without what is outdated', () => {
    const data = newDataFile();
    const file = DataFile.open(data);
    const wire = { id: 'p', updated_at: '2020-01-01T00:00:00Z', text: 'x'.repeat(1024 * 1024) };
    const row = { projectId: 'p', kind: 'projects', id: 'p', document: { wire } } as const;
    for (let count = 0; count < 20; count += 1) file.write([row]);
    expect(statSync(data).size).toBeLessThan(10 * 1024 * 1024);
    file.close();
    const again = DataFile.open(data);
    again.close();
    expect(again.projects).toMatchObject([{ wire }]);
  });

  it('an emulator that cannot start releases its data file', async () => {
    const data = newDataFile();
    const { port } = await start({});
    await expect(startEmulator({ data, port })).rejects.toThrow('--port 0');
    const emulator = await start({ data });
    expect(emulator.projects()).toEqual([]);
  });
});

/** Changes a file that no emulator has open. */
function edit(data: string, change: (text: string) => string): void {
  writeFileSync(data, change(readFileSync(data, 'utf8')));
}
