import { describe, expect, it } from 'vitest';
import { startCommand } from '../support/start-command';

/** A project with more operations than one page holds, all of them finished. */
async function startBusyCommand() {
  const service = await startCommand();
  for (let number = 0; number < 120; number += 1) service.emulator.createBranch(service.project.id);
  const ids = service.emulator.operations(service.project.id).map(({ id }) => id);
  return { ...service, ids };
}

const idsOf = (json: string) => (JSON.parse(json).operations as { id: string }[]).map(({ id }) => id);

describe('operations list', () => {
  it('shows each column, newest first', async () => {
    const { run, emulator, project } = await startCommand();
    const { stdout, exitCode } = await run('operations', 'list');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['ACTION', 'BRANCH', 'STATUS', 'DURATION', 'DATE', 'ID']);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
      emulator
        .operations(project.id)
        .map(({ action, branch_id, id }) => [
          action,
          branch_id,
          'OK',
          expect.stringMatching(/^\d+ ms$/),
          expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/),
          id,
        ]),
    );
    expect(exitCode).toBe(0);
  });

  it('returns a cursor with --limit, and continues there with --cursor', async () => {
    const { run, ids } = await startBusyCommand();
    const first = JSON.parse((await run('operations', 'list', '--limit', '110', '--json')).stdout);
    const rest = await run('operations', 'list', '--cursor', first.cursor, '--json');
    expect(first.operations).toHaveLength(110);
    expect([...first.operations.map(({ id }: { id: string }) => id), ...idsOf(rest.stdout)]).toEqual(ids);
    expect((await run('operations', 'list', '--limit', '2')).stderr).toMatch(/^Next page: --cursor \S+\n$/);
    expect((await run('operations', 'list', '--limit', '1000')).stderr).toBe('');
  });

  it('filters by action, status, endpoint and branch, which may be names', async () => {
    const { run, provider, declare, branch, primary } = await startCommand({ operationMs: 60_000 });
    const { id } = await provider.create(declare({ name: 'api', waitForOperations: false }));
    const list = async (...words: string[]) =>
      JSON.parse((await run('operations', 'list', '--json', ...words)).stdout).operations;
    for (const place of [
      ['--endpoint', 'api', '--branch', branch.name],
      ['--endpoint', id, '--branch', branch.id],
    ])
      expect(await list(...place)).toMatchObject([{ endpointId: id, branchId: branch.id }]);
    await run('endpoints', 'suspend', primary.id, '--no-wait');
    const ofPrimary = await list('--action', 'start_compute,suspend_compute', '--status', 'In Progress');
    expect(ofPrimary).toMatchObject([{ action: 'suspend_compute', endpointId: primary.id }]);
  });

  it('still shows those of a deleted endpoint, by its id', async () => {
    const { run, provider, declare } = await startCommand();
    const { id } = await provider.create(declare({ name: 'api' }));
    await run('endpoints', 'delete', id);
    const { stdout } = await run('operations', 'list', '--endpoint', id, '--json');
    expect(JSON.parse(stdout).operations).toContainEqual(expect.objectContaining({ endpointId: id }));
  });

  it('needs no access to the branches for the id of one', async () => {
    const { run, emulator, branch } = await startCommand();
    const path = '/projects/:p/branches';
    emulator.inject({ match: { method: 'GET', path }, effect: { kind: 'status', status: 403 } });
    const { stdout } = await run('operations', 'list', '--branch', branch.id, '--json');
    expect(JSON.parse(stdout).operations).toMatchObject([{ branchId: branch.id }]);
  });

  it.each([
    ['list', 'branch', 'pr-12', /has no branch named "pr-12"\. It has: .*\(br-/],
    ['wait', 'endpoint', 'api', /has no endpoint named "api"\. It has: ep-/],
  ])('operations %s exits with 4 for an unknown --%s', async (verb, option, value, sentence) => {
    const { run } = await startCommand();
    const { exitCode, stdout, stderr } = await run('operations', verb, `--${option}`, value);
    expect([exitCode, stdout, stderr]).toEqual([4, '', expect.stringMatching(sentence)]);
  });

  it('reports an empty list on stderr, and prints [] with --json', async () => {
    const { run } = await startCommand();
    const table = await run('operations', 'list', '--action', 'none');
    expect(table).toEqual({ exitCode: 0, stdout: '', stderr: 'No operations found.\n' });
    expect(JSON.parse((await run('operations', 'list', '--action', 'none', '--json')).stdout)).toEqual({
      operations: [],
    });
  });
});

it('operations get shows everything about one operation', async () => {
  const { run, emulator, project, primary } = await startCommand();
  const [{ id } = { id: '' }] = emulator
    .operations(project.id)
    .filter((held) => held.endpoint_id === primary.id);
  const { stdout } = await run('operations', 'get', id);
  expect(stdout).toMatch(new RegExp(`^id +${id}\naction +start_compute\nstatus +OK \\(finished\\)\n`));
  expect(JSON.parse((await run('operations', 'get', id, '--json')).stdout)).toMatchObject({
    id,
    endpointId: primary.id,
    status: 'finished',
  });
});
