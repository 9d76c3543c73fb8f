import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import execa from 'execa';
import { describe, expect, test } from 'vitest';
import { type Fleet, readFleet } from '../../examples/fleet/fleet-config';
import { isOpen, nextOpening } from '../../examples/fleet/restart-window';
import { RolloutReport } from '../../examples/fleet/rollout-report';
import { clearLock } from '../../examples/fleet/stack-lock';
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

test('a rollout resumes after the stacks that finished, and another target starts anew', () => {
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
