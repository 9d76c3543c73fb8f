import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { startService } from '../support/start-service';

describe('when reads lag behind writes and a response is slow as well', () => {
  it('a refresh keeps an endpoint whose first, stale response takes longer than reads lag behind', async () => {
    const service = await startService({ readLagMs: 700, lateListsMs: 600, lateGetsMs: 600 });
    const { emulator, project, branch, declare } = service;
    emulator.inject({
      match: { method: 'GET', path: '/projects/:p/endpoints/:e' },
      effect: { kind: 'slow', delayMs: 800 },
    });
    const { id } = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    const outs = { ...declare(), __declared: ['projectId', 'branchId', 'type'] } as unknown as StoredOutputs;
    expect(await service.startProvider().read(id, outs)).toMatchObject({ id });
  });
});
