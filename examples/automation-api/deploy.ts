// usage: tsx deploy.ts STACK [--approve-restarts]
import { parseArgs } from 'node:util';
import { type EngineEvent, LocalWorkspace, type OutputMap, type Stack } from '@pulumi/pulumi/automation';

/** What the provider says about an endpoint in a preview: that a change restarts it, for one. */
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
  if (!outputs) throw new Error('Stopped before anything was changed. --approve-restarts lets it through.');
  console.log(`Deployed: ${outputs.host?.value}`);
}

/** Applies the program, unless connections would drop without approval: then nothing is changed, and it returns nothing. */
async function deploy(stack: Stack, isRestartApproved: boolean): Promise<OutputMap | undefined> {
  // Set in every run, so an approval is for one run. The provider keeps to it in the update as well: a compute may have
  // become active since the preview.
  await stack.setConfig('postgresCompute:allowRestart', { value: String(isRestartApproved) });
  const { isRefused, notices } = await preview(stack);
  // Here they could go to a chat or into a pull request.
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
