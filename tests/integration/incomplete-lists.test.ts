import { range } from 'lodash';
import { describe, expect, it } from 'vitest';
import { getBranches, getProject, getProjects } from '../../provider/src/index';
import { startScriptedService } from '../support/scripted-service';
import { runWith } from '../support/start-command';

const since = '2026-01-01T00:00:00Z';
const toProject = (id: string) => ({ id, name: id, region_id: 'r', pg_version: 17, created_at: since });
const projects = range(5).map((number) => toProject(`p${number}`));

const startProjects = (answer: (cursor: string | null) => object) =>
  startScriptedService(({ searchParams }) => ({ body: answer(searchParams.get('cursor')) }));

/** A page of two, whatever the limit of the request. */
function pairFrom<Item>(items: readonly Item[], cursor: string | null) {
  const start = Number(cursor ?? 0);
  return { items: items.slice(start, start + 2), next: String(start + 2) };
}

describe('a list of projects', () => {
  it('is read to its end when pages are smaller than asked for', async () => {
    await startProjects((cursor) => {
      const { items, next } = pairFrom(projects, cursor);
      return { projects: items, pagination: { cursor: next } };
    });
    expect(await getProjects()).toHaveLength(projects.length);
    expect(await getProject({ name: 'p4' })).toMatchObject({ id: 'p4' });
  });

  it('that leaves out unreadable projects is an error naming them', async () => {
    await startProjects(() => ({ projects, unavailable_project_ids: ['old-sun-1'] }));
    await expect(getProjects()).rejects.toThrow(
      'GET /projects: no usable response: the service could not read old-sun-1 in time',
    );
    await expect(getProject({ name: 'p1' })).rejects.toThrow('could not read old-sun-1 in time');
  });
});

it.each([
  { status: 400, body: { code: 'BAD', message: 'org_id is required' } },
  { body: { projects: [], unavailable_project_ids: ['p1'] } },
])('projects get shows a project that list does not: %j', async (list) => {
  const { environment } = await startScriptedService(({ pathname }) =>
    pathname === '/projects' ? list : { body: { project: toProject('p1') } },
  );
  const { exitCode, stdout } = await runWith(['projects', 'get', 'p1'], environment);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^id +p1$/m);
});

it('a list of branches is read to its end when pages are smaller', async () => {
  const branches = range(3).map((number) => ({
    id: `br-${number}`,
    name: `b${number}`,
    project_id: 'old-sun-1',
    default: number === 0,
    protected: false,
    current_state: 'ready',
    created_at: since,
  }));
  await startScriptedService(({ searchParams }) => {
    const { items, next } = pairFrom(branches, searchParams.get('cursor'));
    return { body: { branches: items, pagination: { next } } };
  });
  expect(await getBranches({ projectId: 'old-sun-1' })).toHaveLength(3);
});
