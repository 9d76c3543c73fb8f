import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

const refusal = 'The service deletes neither a protected branch nor its endpoints';

describe.each(doors)('a protected Branch by %s', (_name, door) => {
  it('is deleted only after an earlier up has unprotected it', async () => {
    const { startRun, declare, held, writes } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ protected: true }));
    const { message } = await callErrorOf((await startRun()).delete(state));
    expect(message).toContain(`delete of branch ${state.id}: branch ${state.id} is protected. ${refusal}`);
    expect(message).toContain('Set protected: false on the branch in an earlier `pulumi up`');
    expect(writes().map(({ method }) => method)).not.toContain('DELETE');
    const unprotected = await runUp(await startRun(), declare({ protected: false }), state);
    await (await startRun()).delete(unprotected);
    expect(held()).toEqual([]);
  });

  it('is not replaced by the update that unprotects it; the preview says so', async () => {
    const { startRun, declare, feature, held } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ protected: true }));
    const moved = declare({ parentId: feature.id, allowDataLoss: true, protected: false });
    expect((await callErrorOf(runPreview(await startRun(), moved, state))).message).toContain(refusal);
    const unprotected = await runUp(await startRun(), declare({ protected: false }), state);
    await runUp(await startRun(), moved, unprotected);
    expect(held()).toMatchObject([{ parent_id: feature.id }]);
  });

  it('is protected only once it has its data', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const program = declare({ protected: true });
    emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-fails', status: 'failed' },
    });
    const failed = await failedState(runUp(await startRun(), program));
    expect(held()).toMatchObject([{ id: failed.id, protected: false }]);
    const { id } = await runUp(await startRun(), program, failed);
    expect(held()).toMatchObject([{ id, protected: true, current_state: 'ready' }]);
  });
});
