import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Stack } from '@pulumi/pulumi/automation';
import execa from 'execa';
import { describe, expect, test } from 'vitest';
import { changeStack } from '../../examples/fleet/change-stack';
import { type Fleet, readFleet } from '../../examples/fleet/fleet-config';
import { isOpen, nextOpening } from '../../examples/fleet/restart-window';
import { RolloutReport } from '../../examples/fleet/rollout-report';
import { clearLock, lockRollout } from '../../examples/fleet/stack-lock';
import { makeTemporaryFolder, writeFiles } from '../support/temporary-folder';

const nights = { schedule: '0 2 * * 1-5', durationMinutes: 120, timeZone: 'Europe/Berlin' };

test.each([
  ['2027-01-04T00:59:59Z', false],
  ['2027-01-04T01:00:00Z', true],
  ['2027-01-04T02:59:59Z', true],
  ['2027-01-04T03:00:00Z', false],
  // Daylight saving time began on March 28.
  ['2027-03-29T00:00:00Z', true],
  ['2027-03-29T02:00:00Z', false],
  // A Saturday.
  ['2027-01-09T01:30:00Z', false],
])('a restart window is open by the clock of its time zone: %s %s', (now, expected) => {
  expect(isOpen(nights, new Date(now))).toBe(expected);
});

test('the next opening of a window that closed on Friday is on Monday', () => {
  expect(nextOpening(nights, new Date('2027-01-08T03:00:00Z'))).toEqual(new Date('2027-01-11T01:00:00Z'));
});

test.each([
  ['{}', 'waves'],
  ['{ waves: [[a], [b, a]], target: {} }', 'a stack is listed twice'],
  ['{ waves: [[a]], target: { maxCu: [2] } }', 'target.maxCu'],
  ['{ waves: [[a]], target: {}, concurrency: 0 }', 'concurrency'],
  ['{ waves: [[a]], target: {}, restartWindow: { schedule: nightly, durationMinutes: 5 } }', "'nightly'"],
  [
    '{ waves: [[a]], target: {}, restartWindow: { schedule: 0 2 * * *, durationMinutes: 5, timeZone: Mars } }',
    "'Mars'",
  ],
  [
    '{ waves: [[a]], target: {}, restartWindow: { schedule: 0 2 30 2 *, durationMinutes: 5 } }',
    'never opens',
  ],
  ['{ waves: [[a]], target: {}, restartwindow: {} }', '"restartwindow"'],
])('fleet.yaml with %s is refused, and the error names the file and %s', (text, named) => {
  const folder = makeTemporaryFolder();
  writeFiles(folder, { 'fleet.yaml': text });
  const read = () => readFleet(join(folder, 'fleet.yaml'));

  expect(read).toThrow(join(folder, 'fleet.yaml'));
  expect(read).toThrow(named);
});

test('examples/fleet/fleet.yaml is valid', () => {
  expect(readFleet('examples/fleet/fleet.yaml')).toMatchObject({ concurrency: 2, restartWindow: nights });
});

test('a rollout resumes, and another target starts anew', () => {
  const file = join(makeTemporaryFolder(), 'rollout.json');
  const fleet: Fleet = { waves: [['a'], ['b', 'c']], concurrency: 2, target: { maxCu: 2 } };
  const report = new RolloutReport(file, fleet);
  report.record('a', { outcome: 'finished', seconds: 4.2, restarts: 1 });
  report.record('b', { outcome: 'failed', error: 'no room' });
  const left = (change: Partial<Fleet>) =>
    new RolloutReport(file, { ...fleet, ...change }).stacksWith('pending');

  expect(report.toString()).toMatch(/^a +finished +4\.2 +1$/m);
  expect(report.toString()).toContain('b: no room');
  expect(left({})).toEqual(['b', 'c']);
  expect(left({ waves: [['new', 'a']] })).toEqual(['new']);
  expect(left({ target: { maxCu: 4 } })).toEqual(['a', 'b', 'c']);
});

test('a window that opens only once is valid while it is open', () => {
  const folder = makeTemporaryFolder();
  const opened = new Date(Date.now() - 60_000).toISOString().slice(0, 19);
  const restartWindow = `{ schedule: '${opened}', durationMinutes: 5 }`;
  writeFiles(folder, { 'fleet.yaml': `{ waves: [[a]], target: {}, restartWindow: ${restartWindow} }` });
  expect(readFleet(join(folder, 'fleet.yaml')).restartWindow).toMatchObject({ durationMinutes: 5 });
});

test.each(['', '{ "target": {', 'null', '{ "target": {}, "stacks": "none" }'])(
  'a damaged rollout.json stops the rollout and is named: %j',
  (text) => {
    const folder = makeTemporaryFolder();
    writeFiles(folder, { 'rollout.json': text });
    const file = join(folder, 'rollout.json');
    const fleet: Fleet = { waves: [['a']], concurrency: 1, target: {} };
    expect(() => new RolloutReport(file, fleet)).toThrow(`${file} is damaged`);
  },
);

test('a folder has one rollout at a time, which ends with its process', async () => {
  const folder = makeTemporaryFolder();
  const file = join(folder, 'rollout.lock');
  const other = execa('sleep', ['60'], { reject: false });
  writeFiles(folder, { 'rollout.lock': `${other.pid}@${hostname()}` });
  expect(() => lockRollout(file)).toThrow(`process ${other.pid}@${hostname()}`);
  other.kill('SIGKILL');
  await other;
  lockRollout(file);
  expect(readFileSync(file, 'utf8')).toBe(`${process.pid}@${hostname()}`);
});

describe('a change of a stack', () => {
  const fleet: Fleet = { waves: [['shop-1']], concurrency: 1, target: { maxCu: 2 } };

  /** Changes a stack whose update reads its config file and fails with those errors of its resources. */
  async function changeWith(errors: readonly string[], settings = '') {
    const folder = makeTemporaryFolder();
    writeFiles(folder, { 'Pulumi.shop-1.yaml': settings });
    const configs: string[] = [];
    const up: Pick<Stack, 'up'>['up'] = async ({ configFile = '', onEvent } = {}) => {
      configs.push(readFileSync(configFile, 'utf8'));
      const all = [
        ...errors.map((message, index) => ({ message, urn: `urn:pulumi:shop-1::p::a:b:C::r${index}` })),
        { message: 'update failed', urn: 'urn:pulumi:shop-1::p::pulumi:pulumi:Stack::p-shop-1' },
      ];
      for (const each of all)
        onEvent?.({
          sequence: 0,
          timestamp: 0,
          diagnosticEvent: { ...each, color: 'never', severity: 'error' },
        });
      if (errors.length > 0) throw new Error('exit code 255');
      return {} as never;
    };
    const workspace = { workDir: folder, projectSettings: async () => ({ name: 'p' }) };
    const stack = { name: 'shop-1', workspace, preview: async () => ({}), up, setAllConfig: async () => {} };
    const changed = changeStack(stack as unknown as Stack, fleet, new AbortController().signal);
    return { result: await changed.catch((error: Error) => error.message), configs };
  }

  test('is held if a compute became active after the preview', async () => {
    const { result } = await changeWith(['a: allowRestart is false', 'b: allowRestart is false']);
    expect(result).toEqual({ outcome: 'held', restarts: 0 });
  });

  test('fails if another endpoint of the stack failed as well', async () => {
    const { result } = await changeWith(['a: allowRestart is false', 'b: no room']);
    expect(result).toMatch(/no room/);
  });

  test('leaves the other values of its config as they are, and needs none', async () => {
    const { configs } = await changeWith([], 'config:\n  p:since: 2024-01-01\n');
    expect(configs).toEqual([expect.stringMatching(/p:since: '?2024-01-01'?$/m)]);
    expect((await changeWith([])).result).toMatchObject({ outcome: 'finished' });
  });
});

describe('the lock of a stack', () => {
  /** The error of the CLI, and a stack that counts its cancellations. */
  function lockedBy(host: string, pid?: number) {
    const message = `the stack is currently locked by 1 lock(s).\n  file:///a.json: created by ci@${host} (pid ${pid}) at 2027-01-04T01:00:00Z`;
    const counted = { cancellations: 0 };
    const cancel = async () => {
      counted.cancellations += 1;
    };
    return { counted, clear: () => clearLock({ name: 'shop-1', cancel }, { message }) };
  }

  test('is removed when its process was killed', async () => {
    const ended = execa('sleep', ['60'], { reject: false });
    ended.kill('SIGKILL');
    await ended;
    const { counted, clear } = lockedBy(hostname(), ended.pid);
    await clear();
    expect(counted.cancellations).toBe(1);
  });

  test('is waited for while its process runs, and left to it', async () => {
    const running = execa('sleep', ['60'], { reject: false });
    const { counted, clear } = lockedBy(hostname(), running.pid);
    const cleared = clear();
    expect(await Promise.race([cleared, setTimeout(50, 'waits')])).toBe('waits');
    running.kill();
    await cleared;
    expect(counted.cancellations).toBe(0);
  });

  test('of another machine stops the stack with the command that removes it', async () => {
    const { counted, clear } = lockedBy('elsewhere', 1);
    await expect(clear()).rejects.toThrow(/ci@elsewhere \(pid 1\).* `pulumi cancel --stack shop-1`/);
    expect(counted.cancellations).toBe(0);
  });
});
