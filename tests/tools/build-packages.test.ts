import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildPackages, whyBuildIsStale } from '../../tools/setup/build-packages.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

const NODE_MODULES = resolve('node_modules');

function packageFiles(name: string): Record<string, string | object> {
  return {
    [`${name}/package.json`]: { name },
    [`${name}/tsconfig.json`]: {
      compilerOptions: {
        composite: true,
        module: 'nodenext',
        types: [],
        lib: ['es5'],
        skipLibCheck: true,
        rootDir: 'src',
        outDir: 'dist',
        tsBuildInfoFile: 'dist/.tsbuildinfo',
      },
      include: ['src'],
    },
    [`${name}/src/index.ts`]: `export const name = '${name}';\n`,
    [`${name}/src/nested/size.ts`]: 'export const size = 1;\n',
  };
}

async function builtRepository(): Promise<string> {
  const repository = makeTemporaryFolder();
  writeFiles(repository, {
    'package-lock.json': {},
    'tsconfig.json': { files: [], references: [{ path: 'provider' }, { path: 'emulator' }] },
    ...packageFiles('provider'),
    ...packageFiles('emulator'),
  });
  symlinkSync(NODE_MODULES, join(repository, 'node_modules'));
  await build(repository);
  return repository;
}

function build(repository: string): Promise<void> {
  return buildPackages({ repository, log: () => {} });
}

test('finds nothing to build right after a build', async () => {
  const repository = await builtRepository();

  expect(whyBuildIsStale(repository)).toBeUndefined();
});

test('builds a source again that got other contents and an old modification time', async () => {
  const repository = await builtRepository();
  const source = join(repository, 'provider/src/nested/size.ts');
  writeFiles(repository, { 'provider/src/nested/size.ts': 'export const size = 2;\n' });
  utimesSync(source, 1, 1);

  expect(whyBuildIsStale(repository)).toBe('the sources or settings of provider have changed');
  await build(repository);

  expect(readFileSync(join(repository, 'provider/dist/nested/size.js'), 'utf8')).toContain('size = 2');
});

test('builds again when the dist of one package is deleted', async () => {
  const repository = await builtRepository();
  rmSync(join(repository, 'emulator/dist'), { recursive: true });

  expect(whyBuildIsStale(repository)).toBe('emulator/dist is missing');
  await build(repository);

  expect(existsSync(join(repository, 'emulator/dist/index.js'))).toBe(true);
});

test('builds again when one output file is deleted', async () => {
  const repository = await builtRepository();
  rmSync(join(repository, 'provider/dist/index.js'));

  expect(whyBuildIsStale(repository)).toBe('provider/dist has been changed');
  await build(repository);

  expect(existsSync(join(repository, 'provider/dist/index.js'))).toBe(true);
});

test('builds again when a setting of the compiler changes', async () => {
  const repository = await builtRepository();
  writeFiles(repository, { 'package-lock.json': { packages: {} } });

  expect(whyBuildIsStale(repository)).toBe('the sources or settings of provider have changed');
});

test('removes the outputs of a deleted source', async () => {
  const repository = await builtRepository();
  rmSync(join(repository, 'provider/src/nested/size.ts'));

  await build(repository);

  expect(existsSync(join(repository, 'provider/dist/nested/size.js'))).toBe(false);
  expect(existsSync(join(repository, 'provider/dist/index.js'))).toBe(true);
});

test('reports what tsc found and stays stale', async () => {
  const repository = await builtRepository();
  writeFiles(repository, { 'provider/src/index.ts': "export const size: number = 'large';\n" });

  await expect(build(repository)).rejects.toThrow(/provider\/src\/index\.ts\(1,14\): error TS2322/);

  expect(whyBuildIsStale(repository)).toBeDefined();
});
