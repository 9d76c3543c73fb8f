import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../support/temporary-folder';

const CODE = /\.(ts|mts|mjs|js|sh)$/;

test.each(['bench', 'examples', 'tests', 'tools'])(
  'code in %s creates temporary folders with mkdtemp only',
  (root) => {
    const files = listFiles(root).filter((name) => CODE.test(name));
    const lines = files.flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .map((text) => `${name}: ${text.trim()}`),
    );
    const predictable = lines.filter((line) => /tmpdir\(\)|['"`]\/tmp\b/.test(line) && !/mkdtemp/.test(line));

    expect(predictable).toEqual([]);
  },
);
