// usage: tsx deploy.ts STACK [--approve-restarts]
import { parseArgs } from 'node:util';
import { type EngineEvent, LocalWorkspace, type OutputMap, type Stack } from '@pulumi/pulumi/automation';

/** A preview diagnostic about an endpoint, such as that a change restarts it. */
interface Notice {
  readonly urn: string;
  readonly severity: string;
  readonly message: string;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'approve-restarts': { type: 'boolean', default: false } },
  });
  const [stackName] = positionals;
  if (!stackName) throw new Error('usage: deploy.ts STACK [--approve-restarts]');
  const stack = await LocalWorkspace.selectStack({ stackName, workDir: __dirname });
  const outputs = await deploy(stack, values['approve-restarts']);
  if (!outputs) throw new Error('Stopped before anything was changed. --approve-restarts allows it.');
  console.log(`Deployed: ${outputs.host?.value}`);
}

/** Applies the program. If connections would drop without approval, it changes nothing and returns undefined. */
async function deploy(stack: Stack, isRestartApproved: boolean): Promise<OutputMap | undefined> {
  // Set in every run, so that an approval is valid for one run. The provider also checks it in the update, because a
  // compute may have become active since the preview.
  await stack.setConfig('postgresCompute:allowRestart', { value: String(isRestartApproved) });
  const { isRefused, notices } = await preview(stack);
  // You could post these to a chat or a pull request instead.
  for (const { urn, severity, message } of notices) console.log(`${severity}: ${urn}\n  ${message}`);
  if (isRefused) return undefined;
  return (await stack.up()).outputs;
}

async function preview(stack: Stack): Promise<{ isRefused: boolean; notices: Notice[] }> {
  const notices: Notice[] = [];
  const onEvent = ({ diagnosticEvent: diagnostic }: EngineEvent): void => {
    if (!diagnostic?.urn || diagnostic.ephemeral || diagnostic.severity.startsWith('info')) return;
    const { urn, severity, message } = diagnostic;
    if (urn.includes(':ComputeEndpoint::')) notices.push({ urn, severity, message: message.trim() });
  };
  try {
    await stack.preview({ onEvent, color: 'never' });
    return { isRefused: false, notices };
  } catch (error) {
    if (!notices.some(({ message }) => message.includes('allowRestart is false'))) throw error;
    return { isRefused: true, notices };
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
