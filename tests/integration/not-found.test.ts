import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../support/diagnostics';
import { runPreview, runRefresh, runUp } from '../support/door';
import { doors, startDoor } from '../support/start-door';

const shown = collectDiagnostics();

describe.each(doors)('an endpoint that is not found, by %s', (_name, door) => {
  async function startEndpoint() {
    const service = await startDoor(door);
    const state = await runUp(await service.startRun(), service.declare());
    return { ...service, state };
  }

  it('stays in state and is not deleted when a proxy answers 404', async () => {
    const { emulator, startRun, state, heldIds } = await startEndpoint();
    const effect: RequestEffect = { kind: 'proxy-page', status: 404 };
    emulator.inject({ match: {}, times: 'always', effect });
    const proxy = /404 Not Found: answered with text\/html, not the API.*is the base URL wrong/;
    await expect(runRefresh(await startRun(), state)).rejects.toThrow(proxy);
    await expect((await startRun()).delete(state)).rejects.toThrow(proxy);
    expect(heldIds()).toEqual([state.id]);
  });

  it('stays in state when the key is that of another account', async () => {
    const { state } = await startEndpoint();
    const other = await startDoor(door);
    const reason =
      /404 Not Found.*Either the key or the base URL belongs to another account, or the project was deleted\. Nothing was removed from the state/;
    await expect(runRefresh(await other.startRun(), state)).rejects.toThrow(reason);
    await expect((await other.startRun()).delete(state)).rejects.toThrow(reason);
  });

  it('is removed from state by a read, and its delete succeeds', async () => {
    const { emulator, startRun, state } = await startEndpoint();
    emulator.deleteEndpoint(state.id);
    expect(await runRefresh(await startRun(), state)).toMatchObject({ state: undefined });
    await (await startRun()).delete(state);
  });

  it('is reported by the preview of a change of size', async () => {
    const { emulator, startRun, declare, state } = await startEndpoint();
    emulator.deleteEndpoint(state.id);
    await runPreview(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state);
    expect(shown.join('')).toContain(`endpoint ${state.id} no longer exists: \`pulumi up\` fails unless`);
    expect(shown.join('')).not.toContain('its state could not be read');
  });
});
