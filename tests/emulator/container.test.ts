import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { repository } from '../support/documents';
import { openCommand } from '../support/open-command';

// No container engine is needed: what the image runs is run here.

interface ComposeService {
  readonly image: string;
  readonly build: { readonly dockerfile: string; readonly target: string };
  readonly ports: readonly string[];
}

const dockerfile = readFileSync(join(repository, 'emulator/Dockerfile'), 'utf8');

/** The words of an instruction that has them as a JSON array. */
function readWords(instruction: RegExp): string[] {
  const [, json = ''] = instruction.exec(dockerfile) ?? [];
  return JSON.parse(json);
}

it('the health check tells a running emulator from one that has ended', async () => {
  const [program, ...args] = readWords(/^ENTRYPOINT (.*)$/m);
  expect(program).toBe('postgres-control-emulator');
  const emulator = await openCommand(args.map((word) => (word === '8080' ? '0' : word)));
  const { port } = new URL(emulator.url);
  const [node, ...check] = readWords(/^HEALTHCHECK [^[]*CMD (\[.*\])$/m).map((word) =>
    word.replace('8080', port),
  );
  expect(node).toBe('node');
  const isHealthy = () =>
    promisify(execFile)(process.execPath, check).then(
      () => true,
      () => false,
    );
  expect(await isHealthy()).toBe(true);
  await emulator.end('SIGTERM');
  expect(await isHealthy()).toBe(false);
});

it('every variant of the image runs as a user without privileges', () => {
  const stages = dockerfile.split(/^FROM /m).slice(2);
  const users = stages.map((stage) => [...stage.matchAll(/^USER (\w+)$/gm)].at(-1)?.[1]);
  expect(users).toEqual(['node', 'node', undefined]); // The last one is the slim stage as it is.
  expect(stages.at(-1)?.trim()).toBe('slim');
});

it('the compose file names a stage, the ports and the version of the image', () => {
  const text = readFileSync(join(repository, 'emulator/compose.yaml'), 'utf8');
  const { services } = load(text) as { services: { emulator: ComposeService } };
  const { image, build, ports } = services.emulator;
  expect(existsSync(join(repository, build.dockerfile))).toBe(true);
  expect(dockerfile).toContain(` AS ${build.target}\n`);
  const exposed = [...dockerfile.matchAll(/^EXPOSE (\d+)$/gm)].map(([, port]) => port);
  expect(ports).toEqual(exposed.map((port) => `127.0.0.1:${port}:${port}`));
  const { version } = JSON.parse(readFileSync(join(repository, 'emulator/package.json'), 'utf8'));
  expect(image).toMatch(new RegExp(`:${version}-postgres$`));
});
