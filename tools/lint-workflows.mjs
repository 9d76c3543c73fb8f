#!/usr/bin/env node
// Checks the GitHub Actions workflows with actionlint, the Go tool that tools/actionlint pins: node tools/lint-workflows.mjs
// The module is verified against the committed go.sum alone, as the Pulumi CLI is.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from './child-environment.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const WORKFLOWS = [join(HERE, '../examples/github-actions/deploy.yaml')];
const COMMAND = 'github.com/rhysd/actionlint/cmd/actionlint';
/** Whether shellcheck and pyflakes are installed is not to decide what is found. */
const FLAGS = ['-shellcheck=', '-pyflakes=', '-no-color'];

const { status, error } = spawnSync('go', ['run', COMMAND, ...FLAGS, ...WORKFLOWS], {
  cwd: join(HERE, 'actionlint'),
  env: goEnvironment(process.env),
  stdio: 'inherit',
});
if (error) {
  process.stderr.write(`actionlint needs Go 1.25.11 or newer, and no \`go\` runs here: ${error.message}\n`);
}
process.exitCode = status ?? 1;
