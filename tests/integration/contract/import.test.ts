import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import type { Kind } from '../../support/door';
import { pluginDoor } from '../../support/plugin-door';
import { startBranchDoor } from '../../support/start-branch-door';
import { startDoor } from '../../support/start-door';
import { startNamedDoor } from '../../support/start-named-door';

silenceDiagnostics();

const found = (id: string) => ({ id, declared: { inputs: {} }, outputs: {} });

/** The provider plugin reads what is not in state by `PROJECT/ID`, as `pulumi import` asks it to. */
async function startImport(kind: Kind) {
  const service = await startDoor(pluginDoor);
  const run = await service.startRun(undefined, kind);
  const importOf = (id: string) => run.read(found(id));
  return { ...service, importOf };
}

describe('a lookup by PROJECT/ID', () => {
  it.each(['endpoint', 'branch'] as const)('lets a refresh read the %s again', async (kind) => {
    const { emulator, project, branch, startRun, importOf } = await startImport(kind);
    const endpoint = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    const { id } = kind === 'branch' ? branch : endpoint;
    const looked = await importOf(`${project.id}/${id}`);
    const inState = looked && { ...looked, declared: { inputs: {} } };
    expect(inState && (await (await startRun(undefined, kind)).read(inState))).toMatchObject({
      ...{ id, outputs: looked?.outputs },
    });
  });
});

describe('an import', () => {
  it('declares the attributes of the endpoint that are no default', async () => {
    const { emulator, project, branch, importOf } = await startImport('endpoint');
    const place = { branch_id: branch.id, type: 'read_write', name: 'api' } as const;
    const settings = { preload_libraries: { use_defaults: false } };
    const { id } = emulator.createEndpoint(project.id, { ...place, settings, suspend_timeout_seconds: 600 });
    const imported = await importOf(`${project.id}/${id}`);
    expect(imported).toMatchObject({ id, outputs: { name: 'api' } });
    expect(imported?.declared.inputs).toMatchObject({
      ...{ branchId: branch.id, suspendTimeoutSeconds: 600, preloadLibraries: { useDefaults: false } },
    });
    expect(imported?.declared.inputs).not.toHaveProperty('poolerEnabled');
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

  it('declares that a branch is schema-only, and no parent', async () => {
    const { up, startRun, project } = await startBranchDoor(pluginDoor);
    const schemaOnly = { initSource: 'schema-only' } as const;
    const { id } = await up(schemaOnly);
    const imported = await (await startRun()).read(found(`${project.id}/${id}`));
    expect(imported?.declared.inputs).toMatchObject(schemaOnly);
    expect(imported?.declared.inputs).not.toHaveProperty('parentId');
  });

  it.each([
    ['role', {}],
    ['database', { ownerName: 'app_owner' }],
  ] as const)('takes PROJECT/BRANCH/NAME of a %s, where a name may have slashes', async (kind, given) => {
    const { up, preview, startRun, at } = await startNamedDoor(pluginDoor, kind, given);
    const name = 'team/app';
    await up({ name });
    const id = `${at.projectId}/${at.branchId}/${name}`;
    const imported = await (await startRun()).read(found(id));
    expect(imported).toMatchObject({ id, declared: { inputs: { ...at, name, ...given } } });
    expect(imported && (await preview({ name }, imported))).toMatchObject({ hasChanges: false });
  });

  it.each([
    ...['ep-1', 'p-1/', '/ep-1', 'p-1/ep-1/x'].map((id) => ['endpoint', id] as const),
    ...['p-1/app', 'p-1/br-1/'].map((id) => ['role', id] as const),
  ])('refuses for a %s the id %s, without a request', async (kind, id) => {
    const { emulator, importOf } = await startImport(kind);
    await expect(importOf(id)).rejects.toThrow(`"${id}" does not say which ${kind} to read: give`);
    expect(emulator.requests()).toEqual([]);
  });
});
