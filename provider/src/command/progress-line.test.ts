import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { makeRedactor } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import { ProgressLine } from './progress-line';

function operationOf(status: string, change: Partial<Operation> = {}): Operation {
  const time = '2026-01-01T00:00:00Z';
  const base = { id: 'op-1', project_id: 'p-1', action: 'start_compute', failures_count: 0 };
  return { ...base, status, created_at: time, updated_at: time, ...change };
}

/** A stream, and what has been written to it. */
function makeStream(kind: { isTTY?: boolean; columns?: number } = {}) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), kind);
  const written = (): string => stream.read() ?? '';
  return { stream, written };
}

const clearLine = '\r\u001b[2K';

describe('ProgressLine without a terminal', () => {
  it('writes one line for each change of a status', () => {
    const { stream, written } = makeStream();
    const line = new ProgressLine(stream);
    for (const status of ['scheduling', 'running', 'running', 'finished'])
      line.showOperations([
        operationOf(status),
        operationOf('running', { id: 'op-2', action: 'apply_config' }),
      ]);
    line.end();
    expect(written()).toBe(
      [
        'op-1 start_compute: Scheduling',
        'op-2 apply_config: In progress',
        'op-1 start_compute: In progress',
        'op-1 start_compute: OK',
        '',
      ].join('\n'),
    );
  });

  it('reports once what it waits for', () => {
    const { stream, written } = makeStream();
    const line = new ProgressLine(stream);
    line.showWait('waiting for the project');
    line.showWait('waiting for the project');
    expect(written()).toBe('waiting for the project\n');
  });

  it('escapes control characters of the service', () => {
    const { stream, written } = makeStream();
    new ProgressLine(stream).showOperations([operationOf('running', { action: 'start\u001b[2J\ncompute' })]);
    expect(written()).toBe('op-1 start\\u001b[2J compute: In progress\n');
  });

  it('redacts a secret in any encoding', () => {
    const { stream, written } = makeStream();
    const line = new ProgressLine(stream, makeRedactor(['canary-key']));
    line.showOperations([operationOf('running', { action: 'canary-key' })]);
    line.showWait('failed: "\\u0063anary-key"');
    expect(written()).toBe('op-1 ***: In progress\nfailed: "***"\n');
  });
});

describe('ProgressLine on a terminal', () => {
  useFakeClock();

  it('rewrites the line each second and erases it at the end', async () => {
    const { stream, written } = makeStream({ isTTY: true });
    const line = new ProgressLine(stream);
    line.showOperations([operationOf('running')]);
    await vi.advanceTimersByTimeAsync(1_000);
    line.end();
    await vi.advanceTimersByTimeAsync(5_000);
    const shown = (seconds: number) => `${clearLine}${seconds} s  start_compute: In progress`;
    expect(written()).toBe(`${shown(0)}${shown(1)}${clearLine}`);
  });

  it('cuts the line at the width of the terminal', () => {
    const { stream, written } = makeStream({ isTTY: true, columns: 20 });
    const line = new ProgressLine(stream);
    line.showOperations([operationOf('running')]);
    line.end();
    expect(written()).toBe(`${clearLine}0 s  start_compute:${clearLine}`);
  });

  it('redacts secrets and escapes control characters on a terminal', () => {
    const { stream, written } = makeStream({ isTTY: true });
    const line = new ProgressLine(stream, makeRedactor(['canary-key']));
    line.showOperations([operationOf('running', { action: 'canary-key\u001b[2J' })]);
    line.end();
    expect(written()).toBe(`${clearLine}0 s  ***\\u001b[2J: In progress${clearLine}`);
  });

  it('assumes 80 columns if the terminal reports no width', () => {
    const { stream, written } = makeStream({ isTTY: true, columns: 0 });
    const line = new ProgressLine(stream);
    line.showOperations([operationOf('running')]);
    line.end();
    expect(written()).toBe(`${clearLine}0 s  start_compute: In progress${clearLine}`);
  });
});

it('ProgressLine.end returns whether it has shown accepted operations', () => {
  const line = new ProgressLine(makeStream().stream);
  line.showWait('waiting');
  expect(line.end()).toBe(false);
  line.showOperations([operationOf('running')]);
  expect(line.end()).toBe(true);
  expect(line.end()).toBe(false);
});
