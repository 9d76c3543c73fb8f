import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import type { Kind } from '../../support/door';
import { pluginDoor } from '../../support/plugin-door';
import { startDoor } from '../../support/start-door';

silenceDiagnostics();

/** The provider plugin reads what is not in state by `PROJECT/ID`, as `pulumi import` asks it to. */
async function startImport(kind: Kind) {
  const service = await startDoor(pluginDoor);
  const run = await service.startRun(undefined, kind);
  const importOf = (id: string) => run.read({ id, declared: { inputs: {} }, outputs: {} });
  return { ...service, importOf };
}

describe('an import', () => {
  it('declares the attributes of the endpoint that are no default', async () => {
    const { emulator, project, branch, importOf } = await startImport('endpoint');
    const place = { branch_id: branch.id, type: 'read_write', name: 'api' } as const;
    const settings = { preload_libraries: { use_defaults: false } };
    const { id } = emulator.createEndpoint(project.id, { ...place, settings, suspend_timeout_seconds: 600 });
    const found = await importOf(`${project.id}/${id}`);
    expect(found).toMatchObject({ id, outputs: { name: 'api' } });
    expect(found?.declared.inputs).toMatchObject({ branchId: branch.id, suspendTimeoutSeconds: 600 });
    expect(found?.declared.inputs).toMatchObject({ preloadLibraries: { useDefaults: false } });
    expect(found?.declared.inputs).not.toHaveProperty('poolerEnabled');
  });

  it('declares the protection of a branch only if it is protected', async () => {
    const { emulator, project, branch, importOf } = await startImport('branch');
    const inputs = async () => (await importOf(`${project.id}/${branch.id}`))?.declared.inputs;
    const place = { projectId: project.id, name: 'feature', parentId: branch.parent_id };
    expect(await inputs()).toMatchObject(place);
    expect(await inputs()).not.toHaveProperty('protected');
    emulator.changeBranch(project.id, branch.id, { protected: true });
    expect(await inputs()).toMatchObject({ ...place, protected: true });
  });

  it.each(['ep-1', 'p-1/', '/ep-1', 'p-1/ep-1/x'])('refuses the id %s, without a request', async (id) => {
    const { emulator, importOf } = await startImport('endpoint');
    await expect(importOf(id)).rejects.toThrow(`"${id}" does not say which endpoint to read: give`);
    expect(emulator.requests()).toEqual([]);
  });
});
