import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/documents';
import { doorNames, programDoors } from '../support/program-doors';
import { type ExportedResource, flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

/** What marks a secret in state. */
const secretMark = '4dabf18193072939515e22adb298388d';

describe.each(doorNames)('by the %s provider', (door) => {
  it('each resource option does what its row in the reference says', async () => {
    const { stack, emulator, project, place, held, urnOf } = await startProgram(
      door,
      {},
      { operationMs: 50, locks: 'none' },
    );
    const { importPath } = programDoors[door];
    const hookLog = join(stack.folder, 'hook.log');
    /** Runs the program of tests/fixtures/options. */
    const run = async (command: string, options: object, changes: object) => {
      const settings = { importPath, place, hookLog, isGuarded: true, ...changes };
      const env = { ...stack.environment, TEST_PROGRAM: JSON.stringify(settings) };
      const file = join(repository, 'tests/fixtures/options/inline-program.js');
      const args = [file, command, JSON.stringify(options)];
      const run = await execa(process.execPath, args, {
        cwd: stack.folder,
        env,
        extendEnv: false,
        all: true,
        reject: false,
      });
      return { exitCode: run.exitCode, screen: String(run.all) };
    };
    const up = async (options: object, changes: object) => {
      const { exitCode, screen } = await run('up', options, changes);
      if (exitCode !== 0) throw new Error(screen);
    };
    const named = (name: string) => emulator.endpoints(project.id).find((each) => each.name === name);
    const exportResources = async () => {
      const { text } = await stack.exportState();
      const { deployment } = JSON.parse(text) as { deployment: { resources: ExportedResource[] } };
      return Object.fromEntries(deployment.resources.map((each) => [each.urn.split('::').pop(), each]));
    };

    await up({}, {});
    const state = await exportResources();
    expect(state).toMatchObject({
      later: { dependencies: [urnOf('guarded')] },
      child: {
        parent: expect.stringMatching(/::parent$/),
        provider: expect.stringContaining(door === 'plugin' ? '::explicit::' : '::default::'),
      },
      discreet: { outputs: { host: { [secretMark]: expect.anything() } } },
    });
    for (const name of ['by-stack', 'by-itself', 'child'])
      expect(named(name)).toMatchObject({ pooler_enabled: true });
    expect(readFileSync(hookLog, 'utf8')).toBe(named('hooked')?.host);

    await up({ target: [urnOf('targeted')] }, { isChanged: true });
    expect(named('targeted')).toMatchObject({ suspend_timeout_seconds: 600 });
    expect(named('excluded')).toMatchObject({ suspend_timeout_seconds: 300 });
    await up({ exclude: [urnOf('excluded')] }, { isChanged: true });
    expect(named('excluded')).toMatchObject({ suspend_timeout_seconds: 300 });
    expect(named('ignoring')).toMatchObject({ suspend_timeout_seconds: 300 });
    expect(await exportResources()).not.toHaveProperty('kept');
    const deletes = () => emulator.requests().filter(({ method }) => method === 'DELETE');
    expect(deletes()).toEqual([]);
    const { stdout } = await stack.run('stack', 'output', 'earlierHost', '--show-secrets');
    expect(stdout).toBe(named('discreet')?.host);

    const refused = await run('preview', {}, { isChanged: true, isGuarded: false });
    expect(refused.exitCode).toBe(1);
    expect(flat(refused.screen)).toContain(`"${urnOf('guarded')}" cannot be deleted because it is protected`);

    await stack.run('state', 'unprotect', '--all', '--yes');
    const followerId = named('follower')?.id;
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(held().map(({ name }) => name)).toEqual(['kept']);
    expect(named('follower')).toBeUndefined();
    expect(deletes().filter(({ path }) => path.endsWith(`/${followerId}`))).toEqual([]);
  });
});
