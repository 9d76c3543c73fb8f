import { expect, it } from 'vitest';
import { codeBlocks } from '../support/documents';
import { output, startProgram } from '../support/start-stack';
import { runOnTerminal, toRecording } from '../support/terminal';

const page = 'docs/preview.md';
const size = (maxCu: number) => ({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu });
const up = ['up', '--yes', '--skip-preview'];

type Program = Awaited<ReturnType<typeof startProgram>>;

/** The lines of a screen, sorted: the order of resources varies. */
const linesOf = (text: string) => text.split('\n').filter(Boolean).sort();

/** Compares what a preview shows in a log, and at 120 and 80 columns, with the recordings under a heading of the page. */
async function expectRecorded({ stack }: Program, heading: string): Promise<void> {
  const shown = [toRecording((await stack.try('preview')).screen)];
  for (const columns of [120, 80]) {
    const run = runOnTerminal(stack, columns, ['preview']);
    await run.ended;
    shown.push(toRecording(run.screen(), columns));
  }
  expect(shown.map(linesOf)).toEqual(codeBlocks(page, '', heading).map(linesOf));
}

it('a preview shows on each width what docs/preview.md records', async () => {
  const program = await startProgram('plugin', size(1));
  const { stack, project, branch, place, declare, write } = program;
  await stack.run(...up);
  await declare(size(2));
  await expectRecorded(program, 'A change of size');
  await declare({ ...size(2), allowRestart: false });
  await expectRecorded(program, 'A change of size, with restarts forbidden');

  const options = { deleteBeforeReplace: true };
  const withParent = (properties: object) => {
    const ofBranch = { projectId: project.id, name: 'preview/pr-12', allowDataLoss: true, ...properties };
    return write({
      resources: {
        preview: { type: 'Branch', properties: ofBranch, options },
        orders: {
          type: 'ComputeEndpoint',
          properties: { ...place, branchId: output('preview.id') },
          options,
        },
      },
    });
  };
  await withParent({});
  await stack.run(...up);
  await withParent({ parentId: branch.id });
  await expectRecorded(program, 'A branch that is replaced');
});

it('up shows what docs/preview.md records while an operation runs', async () => {
  const { stack, emulator, declare } = await startProgram('plugin', size(1));
  await stack.run(...up);
  const squeeze = (line: string) => line.replace(/\s+/g, ' ');
  for (const [index, columns] of [undefined, 120, 80].entries()) {
    const recorded = linesOf(codeBlocks(page, '', 'During `up`')[index] ?? '').map(squeeze);
    expect(recorded).not.toEqual([]);
    const fault = emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-hangs' },
    });
    await declare(size(index + 2));
    const run = columns === undefined ? logOf(stack) : runOnTerminal(stack, columns, up);
    const missing = () => {
      const shown = linesOf(toRecording(run.screen())).map(squeeze);
      return recorded.filter((line) => !shown.some((each) => each.startsWith(line)));
    };
    await expect.poll(missing).toEqual([]);
    fault.clear();
    await run.ended;
  }
});

/** An up whose output is no terminal. */
function logOf(stack: Program['stack']) {
  const ended = stack.start(...up);
  let shown = '';
  ended.all?.on('data', (chunk: Buffer) => {
    shown += chunk;
  });
  return { ended, screen: () => shown };
}

it('the row of an endpoint names what it waits for, then what runs', async () => {
  const program = await startProgram('plugin', size(1), { schedulingMs: 1500, operationMs: 1500 });
  const { stack, emulator, project } = program;
  const rows = (screen: string) => screen.split('\n').filter((line) => /ComputeEndpoint app /.test(line));
  const release = emulator.lockProject(project.id);
  const run = logOf(stack);
  await expect.poll(run.screen).toContain('waiting for the project: ');
  release();
  await run.ended;
  const [lock] = emulator.operations(project.id).filter(({ action }) => action === 'create_branch');
  const shown = rows(run.screen()).flatMap((line) => /creating \S+ (.*)$/.exec(line)?.[1]?.trim() || []);
  expect(shown).toEqual([
    `waiting for the project: create_branch ${lock?.id} running`,
    expect.stringMatching(/^start_compute(, \d s)?$/),
  ]);
  expect(rows((await stack.run(...up)).screen)).toEqual([]);
});
