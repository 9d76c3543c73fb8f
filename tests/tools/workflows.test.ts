import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { listFiles, makeTemporaryFolder } from '../support/temporary-folder';

const FOLDERS = ['examples', '.github/workflows'];
const READ_ONLY = { contents: 'read' };
/** Of the jobs of a version tag, by their environment: the OIDC token replaces secrets and signs the provenance. */
const OF_A_TAG: Readonly<Record<string, object>> = {
  npm: { ...READ_ONLY, 'id-token': 'write' },
  pypi: { ...READ_ONLY, 'id-token': 'write' },
  ghcr: { ...READ_ONLY, packages: 'write' },
  release: { contents: 'write', 'id-token': 'write', attestations: 'write' },
};
/** Of a job that comments: it runs no step with the code of a pull request. */
const COMMENTS = { 'pull-requests': 'write' };
const PINNED = /uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
/** Of a job that no pull request can start. */
const NOT_A_PULL_REQUEST = "github.event_name != 'pull_request' && github.ref == 'refs/heads/main'";

interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: object;
  readonly env?: Record<string, string>;
  readonly steps: { uses?: string; run?: string; with?: Record<string, unknown>; env?: object }[];
}

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions?: object;
  readonly env?: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const files = FOLDERS.flatMap((folder) => listFiles(folder).map((name) => join(folder, name)))
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  .filter(({ text }) => /^jobs:/m.test(text));

test('the workflows of this repository and of the examples are checked', () => {
  expect(files.map(({ file }) => file)).toEqual([
    'examples/github-actions/deploy.yaml',
    'examples/preview-environments/preview.yaml',
    '.github/workflows/ci.yaml',
    '.github/workflows/nightly.yaml',
    '.github/workflows/release.yaml',
    '.github/workflows/versions.yaml',
  ]);
});

test('CI runs on every major version of Node that the packages support', () => {
  const { jobs } = load(readFileSync('.github/workflows/ci.yaml', 'utf8')) as {
    jobs: { node: { strategy: { matrix: { node: string[] } } } };
  };
  const { engines } = JSON.parse(readFileSync('provider/package.json', 'utf8')) as {
    engines: { node: string };
  };
  const majors = engines.node.split(' || ').map((range) => /\d+/.exec(range)?.[0]);

  expect(jobs.node.strategy.matrix.node).toEqual(expect.arrayContaining(majors));
});

test('a release that runs again publishes only the npm package that is missing', () => {
  const { jobs } = load(readFileSync('.github/workflows/release.yaml', 'utf8')) as Workflow;
  const folder = makeTemporaryFolder();
  const npm = `#!/bin/sh
case "$*" in
  "view pulumi-postgres-compute@1.2.3 version") echo 1.2.3 ;;
  view*) exit 1 ;;
  *) echo "$@" ;;
esac
`;
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, GITHUB_REF_NAME: 'v1.2.3' };
  const step = jobs.publish?.steps.at(-1)?.run ?? '';
  const published = execFileSync('bash', ['--norc', '-e', '-c', step], { env, encoding: 'utf8' });

  expect(published).toBe('publish --provenance --access public --workspace postgres-control-emulator\n');
});

describe.each(files)('$file', ({ text }) => {
  const workflow = load(text) as Workflow; // actionlint checks its shape.
  const jobs = Object.entries(workflow.jobs);
  const usesSecrets = (part: unknown) => /\bsecrets\b/.test(JSON.stringify(part) ?? '');

  test('workflow pins every action to a commit, with its version as a comment', () => {
    const uses = text.split('\n').filter((line) => /^[ -]*uses:/.test(line));

    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !PINNED.test(line))).toEqual([]);
  });

  test('workflow leaves no GitHub token in the checkout', () => {
    const checkouts = jobs.flatMap(([, { steps }]) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
    );

    expect(checkouts.length).toBeGreaterThan(0);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  test('workflow lets its tokens write only for a version tag or a comment', () => {
    expect(workflow.permissions).toEqual({});
    const isForTags = Object.keys(workflow.on).join() === 'push' && !('branches' in Object(workflow.on.push));
    for (const [, { permissions, environment, steps }] of jobs) {
      const runsNoCode = steps.every(({ uses, run }) => !uses && /^gh pr comment [^;&|]*$/.test(run ?? ''));
      const allowed = runsNoCode ? COMMENTS : READ_ONLY;
      expect(permissions).toEqual((isForTags && OF_A_TAG[environment ?? '']) || allowed);
    }
  });

  test('workflow runs no code of a fork with the secrets of the repository', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(Object.keys(workflow.on)).not.toContain('workflow_run');
  });

  test("workflow takes secrets from a job's environment, on single steps", () => {
    const { jobs: _jobs, ...rest } = workflow;
    expect(usesSecrets(rest)).toBe(false);
    for (const [, { steps, environment, ...job }] of jobs) {
      expect(usesSecrets(job)).toBe(false);
      if (usesSecrets(steps)) expect(environment).toBeTypeOf('string');
    }
  });

  test('workflow keeps production from jobs that pull requests can start', () => {
    for (const [, { if: condition, environment, env }] of jobs) {
      if (condition === NOT_A_PULL_REQUEST) continue;
      expect(environment).not.toBe('production');
      expect({ ...workflow.env, ...env }.STACK).not.toBe('production');
    }
  });
});
