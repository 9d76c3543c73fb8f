import { describe, it } from 'vitest';
import { startProgram } from './start-stack';

const size = (maxCu: number, more = '') =>
  `autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: ${maxCu}, ${more}`;

describe('a preview of a change of size', () => {
  it('warns under the resource, on the screen and in JSON, while the compute is active', async ({
    expect,
  }) => {
    const { stack, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    await declare(size(2));
    const notice =
      'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now)';
    const { screen } = await stack.run('preview');
    expect(screen.replace(/\s+/g, ' ')).toContain(`ComputeEndpoint (app): warning: ${notice}`);
    const { stdout } = await stack.run('preview', '--json');
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { urn?: string; message: string; severity: string }[];
    };
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        urn: expect.stringMatching(/ComputeEndpoint::app$/),
        severity: 'warning',
        message: expect.stringContaining(notice),
      }),
    );
  });

  it('says that nothing drops while the compute is idle, and makes one request', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    const [id = ''] = (await stack.exportState()).endpoints.map((resource) => resource.id ?? '');
    await fetch(
      `${emulator.url}/projects/${emulator.endpoints().find((endpoint) => endpoint.id === id)?.project_id}/endpoints/${id}/suspend`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.apiKey}` },
      },
    );
    await expect
      .poll(() => emulator.endpoints().find((endpoint) => endpoint.id === id)?.current_state)
      .toBe('idle');
    await declare(size(2));
    const before = emulator.requests().length;
    const { screen } = await stack.run('preview');
    expect(screen).toContain('takes effect when the compute starts next; there are no connections to drop');
    expect(
      emulator
        .requests()
        .slice(before)
        .map(({ method }) => method),
    ).toEqual(['GET']);
  });

  it('stops with allowRestart: false, and so does the update; nothing is changed', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    await declare(size(2, 'allowRestart: false'));
    for (const command of [['preview'], ['up', '--yes', '--skip-preview']]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(screen).toMatch(/allowRestart is false, and a change of autoscalingLimitMaxCu/);
      expect(screen).not.toMatch(/ at .*\.js:\d+/);
    }
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
    await declare(size(1, 'allowRestart: false, suspendTimeoutSeconds: 900'));
    await stack.run('up', '--yes');
  });
});

it('a preview without a change of size makes no request', async ({ expect }) => {
  const { stack, emulator, declare } = await startProgram(size(1));
  await stack.run('up', '--yes');
  const before = emulator.requests().length;
  await stack.run('preview', '--expect-no-changes');
  await declare(size(1, 'suspendTimeoutSeconds: 900'));
  const { screen } = await stack.run('preview');
  expect(screen).not.toContain('warning');
  expect(emulator.requests().length).toBe(before);
});
