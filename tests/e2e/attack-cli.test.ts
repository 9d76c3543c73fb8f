import { describe, it } from 'vitest';
import { startProgram } from './start-stack';
const heldOn = ({ emulator, branch }: any) => emulator.endpoints().filter((e: any) => e.branch_id === branch.id);

describe('cli', () => {
  it('destroy --run-program after a stack rename, and without', async ({ expect }) => {
    const p = await startProgram('', { operationMs: 20 });
    const { stack } = p;
    await stack.run('up', '--yes', '--skip-preview');
    const r1 = await stack.try('destroy', '--yes', '--skip-preview', '--run-program');
    console.log('C1', r1.exitCode, r1.screen.slice(-900), heldOn(p).length);
    await stack.run('up', '--yes', '--skip-preview');
    console.log('C1b', heldOn(p).length);
    await stack.run('stack', 'rename', 'other');
    const r2 = await stack.try('destroy', '--yes', '--skip-preview', '--run-program');
    console.log('C2', r2.exitCode, r2.screen.slice(-900), heldOn(p).length);
  });
  it('secret name removed', async ({ expect }) => {
    const p = await startProgram("name: pulumi.secret('canary-secret-name')", { operationMs: 20 });
    const { stack } = p;
    await stack.run('up', '--yes', '--skip-preview');
    const before = (await stack.exportState()).text.includes('canary-secret-name');
    await p.declare('suspendTimeoutSeconds: 900');
    const r = await stack.run('up', '--yes');
    const text = (await stack.exportState()).text;
    console.log('C3', before, text.includes('canary-secret-name'), r.screen.includes('canary-secret-name'), text.split('\n').filter((l) => l.includes('canary')).join('\n'));
  });
  it('adopt beside the resource in state, declared before it', async ({ expect }) => {
    const p = await startProgram('', { operationMs: 20 });
    const { stack } = p;
    await stack.run('up', '--yes', '--skip-preview');
    await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchId = config.require('branchId');
const first = new ComputeEndpoint('first', { projectId, branchId, type: 'read_write', adopt: true });
export const app = new ComputeEndpoint('app', { projectId, branchId, type: 'read_write' }, { dependsOn: first });
`);
    const r = await stack.try('up', '--yes', '--skip-preview');
    const ids = (await stack.exportState()).endpoints.map(({ id, urn }) => [id, urn.split('::').pop()]);
    console.log('C4', r.exitCode, r.screen.slice(-700), ids);
    await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
export const app = new ComputeEndpoint('app', { projectId: config.require('projectId'), branchId: config.require('branchId'), type: 'read_write' });
`);
    const r2 = await stack.try('up', '--yes', '--skip-preview');
    console.log('C5', r2.exitCode, r2.screen.slice(-500), heldOn(p).length);
  });
});
