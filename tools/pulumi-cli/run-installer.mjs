// Run as a process of its own by install-official-cli.mjs: node run-installer.mjs ROOT VERSION
// The SDK's Automation API fetches the official installer and runs it; it can neither be told to stop nor to
// clean up, a process group can.
import { createRequire } from 'node:module';

const [, , root, version] = process.argv;
const requireHere = createRequire(import.meta.url);
const { PulumiCommand } = requireHere('@pulumi/pulumi/automation');
const { SemVer } = createRequire(requireHere.resolve('@pulumi/pulumi/automation'))('semver');

try {
  await PulumiCommand.install({ root, version: new SemVer(version) });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
