import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { failureOf } from '../support/failure';
import { createEndpoint, ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

/** The state that the engine keeps after a failed create or update. */
async function failedState(
  work: Promise<unknown>,
): Promise<{ id: string; outs: StoredOutputs; message: string }> {
  const { id, properties, message } = await failureOf(work);
  return { id, outs: properties, message };
}

describe('a failed operation', () => {
  const failing = (action: string) => ({
    match: { action },
    effect: { kind: 'operation-fails', error: 'no capacity' } as const,
  });

  it('of a create stays in state after a refresh, and the next update retries it', async () => {
    const service = await startService();
    service.emulator.inject(failing('start_compute'));
    const { id, outs } = await failedState(service.provider.create(service.declare()));
    const { props } = await service.provider.read(id, outs);
    expect(props?.unsettledOperations).toEqual(outs.unsettledOperations);
    await service.provider.update(id, props ?? outs, service.declare());
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
});

describe('an operation that does not finish in time', () => {
  it('fails the create when its status is unknown', async () => {
    const service = await startService();
    service.emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-status', status: 'pondering' },
    });
    const { message } = await failedState(
      service.provider.create(service.declare({ timeouts: { create: 0.2 } })),
    );
    expect(message).toContain('pondering');
  });
});

describe('the operations of an update that was killed after its request', () => {
  const failing = { match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } } as const;
  const resized = { autoscalingLimitMaxCu: 2 };

  async function kill(waitMs: number, action = 'apply_config') {
    const service = await startService({ operationMs: 300, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject({ ...failing, match: { action } });
    const killed = service.startProvider().update(id, outs, service.declare(resized));
    void killed.catch(() => undefined);
    await until(() => service.emulator.requests().some(({ method }) => method === 'PATCH'));
    await sleep(waitMs);
    // The state has nothing of that update.
    return { service, id, outs };
  }

  /** Newest first. */
  const operationsOf = ({ emulator, project }: Service) =>
    emulator.operations(project.id).map(({ action, status }) => `${action} ${status}`);

  it.each([
    ['have failed', 600],
    ['are still running', 0],
  ])('are retried by the same update if they %s', async (_what, waitMs) => {
    const { service, id, outs } = await kill(waitMs);
    await service.startProvider().update(id, outs, service.declare(resized));
    expect(operationsOf(service).slice(0, 2)).toEqual(['start_compute finished', 'suspend_compute finished']);
  });

  it('are retried even if only the last one has failed', async () => {
    const { service, id, outs } = await kill(1_200, 'start_compute');
    await service.startProvider().update(id, outs, service.declare(resized));
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });

  it.each([
    ['another argument has changed, too', { ...resized, poolerEnabled: true }],
    ['nothing else has changed', resized],
  ])('are retried by a restart if %s', async (_what, changes) => {
    const { service, id, outs } = await kill(600, 'suspend_compute');
    await service.startProvider().update(id, outs, service.declare(changes));
    expect(operationsOf(service).slice(0, 2)).toEqual(['start_compute finished', 'suspend_compute finished']);
  });

  it('are retried although the state has a failed operation of an earlier update', async () => {
    const service = await startService({ operationMs: 50, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject(failing);
    const pooled = { poolerEnabled: true };
    const failed = await failedState(service.provider.update(id, outs, service.declare(pooled)));
    service.emulator.inject({ ...failing, match: { action: 'suspend_compute' } });
    const both = service.declare({ ...pooled, ...resized });
    await failureOf(service.startProvider().update(id, failed.outs, both));
    // The state of the second update was lost.
    await service.startProvider().update(id, failed.outs, both);
    expect(operationsOf(service).slice(0, 2)).toEqual(['start_compute finished', 'suspend_compute finished']);
  });

  it('are retried if only the suspension of a move has failed', async () => {
    const service = await startService({ operationMs: 50, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject({ ...failing, match: { action: 'suspend_compute' } });
    const { id: branchId } = service.emulator.createBranch(service.project.id, { name: 'other' });
    const moved = service.declare({ branchId });
    await failureOf(service.startProvider().update(id, outs, moved));
    await service.startProvider().update(id, outs, moved);
    expect(operationsOf(service)[0]).toBe('suspend_compute finished');
  });

  it.each([resized, { ...resized, poolerEnabled: true }])(
    'are retried by the next update if this one could not list them: %j',
    async (changes) => {
      const { service, id, outs } = await kill(600, 'suspend_compute');
      const lists = { method: 'GET', path: '/projects/:id/operations' };
      const effect = { kind: 'status', status: 403 } as const;
      const refusal = service.emulator.inject({ match: lists, effect, times: 'always' });
      const failed = await failedState(service.startProvider().update(id, outs, service.declare(changes)));
      refusal.clear();
      await service.startProvider().update(id, failed.outs, service.declare(changes));
      expect(operationsOf(service).slice(0, 2)).toEqual([
        'start_compute finished',
        'suspend_compute finished',
      ]);
    },
  );

  it('are retried although another change has been applied since', async () => {
    const { service, id, outs } = await kill(600, 'suspend_compute');
    const both = service.declare({ ...resized, poolerEnabled: true });
    await service.startProvider().update(id, { ...outs, ...resized }, both);
    expect(operationsOf(service)[0]).toBe('apply_config finished');
    await service.startProvider().update(id, outs, both);
    expect(operationsOf(service).slice(0, 2)).toEqual(['start_compute finished', 'suspend_compute finished']);
  });

  it('are not retried if others have restarted the compute since', async () => {
    const { service, id, outs } = await kill(600, 'suspend_compute');
    const restarted = { ...resized, restartTriggers: { day: '2' } };
    await service.startProvider().update(id, { ...outs, ...resized }, service.declare(restarted));
    const before = operationsOf(service);
    expect(before.slice(0, 2)).toEqual(['start_compute finished', 'suspend_compute finished']);
    await service.startProvider().update(id, outs, service.declare(resized));
    expect(operationsOf(service)).toEqual(before);
  });

  it('count as the restart that a trigger asks for while they are still running', async () => {
    const service = await startService({ operationMs: 300, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    const both = service.declare({ ...resized, restartTriggers: { day: '2' } });
    void service
      .startProvider()
      .update(id, outs, both)
      .catch(() => undefined);
    await until(() => service.emulator.requests().some(({ method }) => method === 'PATCH'));
    await service.startProvider().update(id, outs, both);
    expect(operationsOf(service).filter((each) => each.startsWith('suspend_compute'))).toHaveLength(1);
  });

  it("of others that drop connections are not repeated for a change that doesn't", async () => {
    const service = await startService({ operationMs: 50, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    const pooled = { poolerEnabled: true };
    const colleague = service.startProvider();
    await colleague.update(id, outs, service.declare(pooled));
    service.emulator.inject({ ...failing, match: { action: 'suspend_compute' } });
    await failureOf(colleague.update(id, outs, service.declare({ ...pooled, ...resized })));
    const before = operationsOf(service);
    const refreshed = { ...outs, ...resized };
    await service.startProvider().update(id, refreshed, service.declare({ ...pooled, ...resized }));
    expect(operationsOf(service)).toEqual(before);
  });

  it('of a stop are not repeated by an update that enables the endpoint again', async () => {
    const service = await startService({ operationMs: 50, locks: 'none' });
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject({ ...failing, match: { action: 'suspend_compute' } });
    await failureOf(service.startProvider().update(id, outs, service.declare({ disabled: true })));
    await service
      .startProvider()
      .update(id, { ...outs, disabled: true }, service.declare({ disabled: false }));
    expect(operationsOf(service)[0]).toBe('suspend_compute failed');
  });

  it('are not retried where a restart is not allowed', async () => {
    const { service, id, outs } = await kill(600);
    const update = service
      .startProvider()
      .update(id, outs, service.declare({ ...resized, allowRestart: false }));
    await expect(update).rejects.toThrow('allowRestart is false');
    expect(operationsOf(service)[0]).toBe('start_compute cancelled');
  });
});
