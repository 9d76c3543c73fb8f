import { describe, expect, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { flat, type PulumiStack } from '../support/pulumi-stack';
import { sendRequest } from '../support/send-request';
import { output, startProgram } from '../support/start-stack';

const size = (maxCu: number) => ({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu });
const up = ['up', '--yes', '--skip-preview'];
const warning = 'restarts the compute, drops connections (active now): max 1 => 2 CU';
const patches = (requests: readonly { method: string }[]) =>
  requests.filter(({ method }) => method === 'PATCH');

/** A preview and an up both fail, and show the text without a stack trace. Returns the last screen, in one line. */
async function expectRefused(stack: PulumiStack, text: string): Promise<string> {
  let last = '';
  for (const command of [['preview'], up]) {
    const { exitCode, screen } = await stack.try(...command);
    last = flat(screen);
    expect(exitCode).not.toBe(0);
    expect(last).toContain(text);
    expect(screen).not.toMatch(/ at .*\.js:\d+/);
  }
  return last;
}

describe.each(doorNames)('by the %s provider', (door) => {
  it('a preview of a restart warns while active, and fails if forbidden', async () => {
    const { stack, emulator, project, held, writes, declare } = await startProgram(door, size(1));
    await stack.run(...up);
    const [{ id = '' } = {}] = held();
    const before = emulator.requests().length;
    await stack.run('preview', '--expect-no-changes');
    await declare({ ...size(1), suspendTimeoutSeconds: 900 });
    expect((await stack.run('preview')).screen).not.toContain('warning');
    expect(emulator.requests()).toHaveLength(before);

    await declare(size(2));
    expect(flat((await stack.run('preview')).screen)).toContain(`ComputeEndpoint (app): warning: ${warning}`);
    const { stdout } = await stack.run('preview', '--json');
    const { diagnostics } = JSON.parse(stdout);
    const urn = expect.stringMatching(/ComputeEndpoint::app$/);
    const message = expect.stringContaining(warning);
    expect(diagnostics).toContainEqual(expect.objectContaining({ urn, severity: 'warning', message }));
    await declare({ ...size(2), allowRestart: false });
    await expectRefused(stack, 'allowRestart is false, and this restarts the compute');
    await declare(size(2));
    const key = door === 'plugin' ? 'postgres-compute:allowRestart' : 'postgresCompute:allowRestart';
    await stack.run('config', 'set', key, 'false');
    expect(await expectRefused(stack, 'allowRestart is false')).toContain(
      `\`pulumi config set ${key} true\``,
    );
    expect(patches(writes())).toEqual([]);

    await sendRequest(emulator, 'POST', `/projects/${project.id}/endpoints/${id}/suspend`);
    await expect.poll(() => held()[0]?.current_state).toBe('idle');
    const earlier = emulator.requests().length;
    const { screen } = await stack.run('preview');
    expect(screen).toContain('takes effect at the next start, no connections to drop');
    const sent = emulator.requests().slice(earlier);
    expect(sent.map(({ method }) => method)).toEqual(['GET']);
    await stack.run(...up);
    expect(held()).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
  });
});

it('allowRestart holds for a size that the preview does not know', async () => {
  const { stack, writes, place, declare, write } = await startProgram('dynamic', size(1));
  await stack.run(...up);
  // The output of a new resource is unknown until it is created.
  const sizeOfAnother = (maxCu: number, allowRestart = false) => {
    const properties = { ...place, autoscalingLimitMinCu: 0.25 };
    const other = { ...properties, type: 'read_only', autoscalingLimitMaxCu: maxCu };
    const app = {
      ...properties,
      allowRestart,
      autoscalingLimitMaxCu: output(`replica${maxCu}.maxSize.vcpu`),
    };
    const type = 'ComputeEndpoint';
    return write({
      resources: { [`replica${maxCu}`]: { type, properties: other }, app: { type, properties: app } },
    });
  };
  await sizeOfAnother(1);
  const { screen } = await stack.run('preview');
  expect(flat(screen)).toContain('unless the value stays the same: max 1 => a size not known yet');
  expect(flat(screen)).toContain('`pulumi up` stops if the new autoscalingLimitMaxCu drops connections');
  await stack.run(...up);
  await sizeOfAnother(2);
  const stopped = await stack.try(...up);
  expect(stopped.exitCode).not.toBe(0);
  expect(flat(stopped.screen)).toContain('allowRestart is false, and this restarts the compute');
  expect(patches(writes())).toEqual([]);
  await declare({ ...size(1), allowRestart: false });
  await stack.run(...up);
  expect(patches(writes())).toEqual([]);
});
