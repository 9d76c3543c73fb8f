// install.ts runs this as a process: node run-installer.mjs ROOT VERSION
// The SDK's Automation API downloads and runs the official installer, and cannot stop it. A process group can be killed.
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
