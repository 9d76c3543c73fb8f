import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../support/failure';
import { startCommand } from '../support/start-command';
import { startEngineRuns } from '../support/start-engine-run';

const page: RequestEffect = { kind: 'proxy-page', status: 200 };
const pageSentence =
  'answered with text/html, not the API: does a proxy respond in its place, or is the base URL wrong?';

async function startProgram() {
  const ground = await startEngineRuns();
  const { emulator, project, branch } = ground;
  const on = (args: object = {}) => ({
    projectId: project.id,
    branchId: branch.id,
    type: 'read_write',
    ...args,
  });
  const answer = (effect: RequestEffect, times: number | 'always' = 'always') =>
    emulator.inject({ match: {}, times, effect } as Parameters<typeof emulator.inject>[0]);
  const count = async (work: () => Promise<unknown>) => {
    const before = emulator.requests().length;
    const { message } = await errorOf(work());
    return { message, requests: emulator.requests().length - before };
  };
  return { ...ground, projectId: project.id, on, answer, count };
}

describe.each<[string, RequestEffect, string]>([
  ['a wrong key', { kind: 'status', status: 401 }, 'Is the key in POSTGRES_COMPUTE_API_KEY valid?'],
  ['a key without access', { kind: 'status', status: 403 }, 'May the key in POSTGRES_COMPUTE_API_KEY'],
  ['a page of a proxy', page, pageSentence],
  ['the 404 of a proxy', { kind: 'proxy-page', status: 404 }, pageSentence],
])('%s fails the preview', (_what, effect, sentence) => {
  it('of a new endpoint, and of a new branch', async () => {
    const { startRun, on, projectId, answer } = await startProgram();
    answer(effect);
    expect((await errorOf(startRun().check('endpoint', 'e', on()))).message).toContain(sentence);
    const branch = startRun().check('branch', 'b', { projectId, name: 'data' });
    expect((await errorOf(branch)).message).toContain(sentence);
  });

  it.each([true, false])('of a restart, with allowRestart: %s', async (allowRestart) => {
    const { startRun, on, answer } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on());
    answer(effect);
    const resized = on({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2, allowRestart });
    expect((await errorOf(startRun().preview(endpoint, resized))).message).toContain(sentence);
  });

  it('of a branch that is replaced', async () => {
    const { startRun, projectId, branch, answer } = await startProgram();
    const before = await startRun().create('branch', 'b', { projectId, name: 'data' });
    answer(effect);
    const moved = { projectId, name: 'data', parentId: branch.id, allowDataLoss: true };
    expect((await errorOf(startRun().preview(before, moved))).message).toContain(sentence);
  });
});

it.each(['endpoint', 'branch'] as const)(
  'a project that the key does not show fails the preview of a new %s',
  async (kind) => {
    const { startRun, on } = await startProgram();
    const projectId = 'other';
    const args = kind === 'endpoint' ? on({ projectId }) : { projectId, name: 'data' };
    expect((await errorOf(startRun().check(kind, 'r', args))).message).toMatch(
      /project other does not exist \(request id request-1\)\. Are the base URL and projectId right, and does the key belong to the account of the project\?$/,
    );
  },
);

describe('a branch of another project fails the preview', () => {
  it.each(['endpoint', 'branch'] as const)('of a new %s, with one list for all', async (kind) => {
    const { startRun, on, projectId, emulator } = await startProgram();
    const [foreign] = emulator.branches(emulator.createProject().id);
    const run = startRun();
    const argsOf = (id: string | undefined) =>
      kind === 'endpoint'
        ? on({ branchId: id, type: 'read_only' })
        : { projectId, name: `n-${id}`, parentId: id };
    const { message } = await errorOf(run.check(kind, 'a', argsOf(foreign?.id)));
    expect(message).toBe(`is not the id of a branch of project ${projectId}`);
    const own = emulator.branches(projectId);
    const before = emulator.requests().length;
    await Promise.all(own.map(({ id }, index) => run.check(kind, `r${index}`, argsOf(id))));
    const sent = emulator.requests().slice(before);
    expect(sent.filter(({ path }) => path.endsWith('/branches')).length).toBeLessThanOrEqual(1);
    expect(sent.filter(({ path }) => path.includes('/branches/'))).toEqual([]);
  });

  it('but not of one that this run has created, although reads lag', async () => {
    const ground = await startEngineRuns({ lateListsMs: 300, lateGetsMs: 300, readLagMs: 300 });
    const run = ground.startRun();
    const on = { projectId: ground.project.id, type: 'read_only' };
    await run.check('endpoint', 'first', { ...on, branchId: ground.branch.id });
    const { id } = await run.create('branch', 'b', { projectId: ground.project.id, name: 'data' });
    await run.check('endpoint', 'e', { ...on, branchId: id });
  });
});

it('a service that does not answer is one warning for all resources', async () => {
  const { startRun, on, answer, projectId } = await startProgram();
  answer({ kind: 'status', status: 503 });
  const run = startRun();
  await Promise.all(
    ['a', 'b'].map((name) => run.check('endpoint', name, on({ type: 'read_only', adopt: true }))),
  );
  await run.check('branch', 'c', { projectId, name: 'data', adopt: true });
  expect(run.shown).toEqual([
    expect.stringMatching(
      /^the state of the service is unknown, so conflicts and restarts may not be reported: GET .*503 Service Unavailable/,
    ),
  ]);
});

it('a delete whose lists hang fails with the cause, not at its deadline', async () => {
  const { startRun, on, emulator, count } = await startProgram();
  const endpoint = await startRun().create('endpoint', 'e', on());
  const hangs = { match: { method: 'GET' }, times: 'always', effect: { kind: 'slow', delayMs: 40_000 } };
  emulator.inject(hangs as Parameters<typeof emulator.inject>[0]);
  const { message, requests } = await count(() => startRun().delete(endpoint));
  expect(message).toMatch(/GET .*: no response within the time-out/);
  expect(requests).toBe(3);
});

describe('a process that only a page has answered', () => {
  it.each(['read', 'delete', 'update', 'create'] as const)(
    'ends a %s after at most 6 requests',
    async (call) => {
      const { startRun, on, answer, count } = await startProgram();
      const endpoint = await startRun().create('endpoint', 'e', on());
      answer(page);
      const run = startRun();
      const calls = {
        read: () => run.read(endpoint),
        delete: () => run.delete(endpoint),
        update: () => run.update(endpoint, on({ suspendTimeoutSeconds: 600 })),
        create: () => run.create('endpoint', 'other', on({ type: 'read_only' })),
      };
      const { message, requests } = await count(calls[call]);
      expect(message).toContain(pageSentence);
      expect(requests).toBeLessThanOrEqual(6);
      expect((await count(calls[call])).requests).toBeLessThanOrEqual(call === 'create' ? 1 : 0);
    },
  );

  it('ends the command, too', async () => {
    const { emulator, run } = await startCommand();
    emulator.inject({ match: {}, times: 'always', effect: page } as Parameters<typeof emulator.inject>[0]);
    const { exitCode, stderr } = await run('operations', 'wait');
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`${pageSentence} The base URL is set in POSTGRES_COMPUTE_BASE_URL.`);
    expect(emulator.requests().length).toBeLessThanOrEqual(6);
  });
});

it('a process that the service has answered is patient with a page', async () => {
  const { startRun, on, answer, emulator, branch } = await startProgram();
  const run = startRun();
  await run.check('endpoint', 'e', on());
  answer({ ...page, when: 'after-work' } as RequestEffect, 12);
  const { id } = await run.create('endpoint', 'e', on());
  const held = emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  expect(held.map((each) => each.id)).toEqual([id]);
});

it('the 404 of a proxy is a warning once the service has answered', async () => {
  const { startRun, on, answer, projectId } = await startProgram();
  const run = startRun();
  await run.check('branch', 'b', { projectId, name: 'data' });
  answer({ kind: 'proxy-page', status: 404 });
  await run.check('endpoint', 'e', on());
  expect(run.shown).toEqual([expect.stringMatching(/^the state of the service is unknown, .*404 Not Found/)]);
});
