#!/usr/bin/env node
// Checks the GitHub Actions workflows with actionlint, which tools/actionlint pins: node tools/lint-workflows.mjs
// Go verifies its modules against the committed go.sum alone, as for the Pulumi CLI.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from './child-environment.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const OWN = join(HERE, '../.github/workflows');
const WORKFLOWS = [
  join(HERE, '../examples/github-actions/deploy.yaml'),
  join(HERE, '../examples/preview-environments/preview.yaml'),
  ...readdirSync(OWN).map((name) => join(OWN, name)),
];
const COMMAND = 'github.com/rhysd/actionlint/cmd/actionlint';
/** The findings must not depend on whether shellcheck and pyflakes are installed. */
const FLAGS = ['-shellcheck=', '-pyflakes=', '-no-color'];

const { status, error } = spawnSync('go', ['run', COMMAND, ...FLAGS, ...WORKFLOWS], {
  cwd: join(HERE, 'actionlint'),
  env: goEnvironment(process.env),
  stdio: 'inherit',
});
if (error)
  process.stderr.write(`actionlint needs Go 1.25.11 or newer, and \`go\` does not run: ${error.message}\n`);
process.exitCode = status ?? 1;
