import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it, vi } from 'vitest';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate } from '../support/engine';
import { startService } from '../support/start-service';

silenceDiagnostics();

const effect: RequestEffect = { kind: 'proxy-page', status: 404 };

async function startEndpoint() {
  const service = await startService();
  const state = await runCreate(service.startProvider(), service.declare());
  const isHeld = () => service.emulator.endpoints().some(({ id }) => id === state.id);
  return { ...service, state, isHeld };
}

describe('a 404 of a proxy', () => {
  it('does not remove the endpoint from state', async () => {
    const { emulator, startProvider, state } = await startEndpoint();
    emulator.inject({ match: {}, times: 'always', effect });
    await expect(startProvider().read(state.id, state.outs)).rejects.toThrow(
      /404 Not Found: answered with text\/html, not the API.*is the base URL wrong/,
    );
  });

  it('does not count as a successful delete', async () => {
    const { emulator, startProvider, state, isHeld } = await startEndpoint();
    emulator.inject({ match: { method: 'DELETE' }, times: 'always', effect });
    await expect(startProvider().delete(state.id, state.outs)).rejects.toThrow(
      /DELETE \S+: 404 Not Found: answered with/,
    );
    expect(isHeld()).toBe(true);
  });
});

describe('a key of another account', () => {
  it.each(['read', 'delete'] as const)('fails a %s, and the error explains the 404', async (call) => {
    const { state, startProvider } = await startEndpoint();
    const other = await startService();
    const provider = startProvider({
      POSTGRES_COMPUTE_BASE_URL: other.emulator.url,
      POSTGRES_COMPUTE_API_KEY: other.emulator.apiKey,
    });
    await expect(provider[call](state.id, state.outs)).rejects.toThrow(
      /404 Not Found.*Either the key or the base URL belongs to another account, or the project was deleted\. Nothing was removed from the state/,
    );
  });
});

describe('an endpoint that no longer exists', () => {
  it('is removed from state by a read, and its delete succeeds', async () => {
    const { emulator, startProvider, state } = await startEndpoint();
    emulator.deleteEndpoint(state.id);
    expect(await startProvider().read(state.id, state.outs)).toEqual({});
    await expect(startProvider().delete(state.id, state.outs)).resolves.toBeUndefined();
  });

  it('is reported by the preview of a change of size', async () => {
    const { emulator, startProvider, state, declare } = await startEndpoint();
    emulator.deleteEndpoint(state.id);
    const write = vi.mocked(process.stderr.write);
    await startProvider().diff(state.id, state.outs, declare({ autoscalingLimitMaxCu: 2 }));
    const shown = write.mock.calls.map(([text]) => String(text)).join('');
    expect(shown).toContain(`endpoint ${state.id} no longer exists: \`pulumi up\` fails unless`);
    expect(shown).not.toContain('its state could not be read');
  });
});
