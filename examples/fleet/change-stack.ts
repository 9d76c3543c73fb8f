import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  ConcurrentUpdateError,
  type DiagnosticEvent,
  type EngineEvent,
  type PreviewOptions,
  type ResourcePreEvent,
  type Stack,
} from '@pulumi/pulumi/automation';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import type { Fleet } from './fleet-config';
import { isOpen } from './restart-window';
import type { StackResult } from './rollout-report';
import { clearLock } from './stack-lock';

/** The setting of the plugin. With the dynamic provider, it is `postgresCompute:allowRestart`. */
const allowRestart = 'postgres-compute:allowRestart';
/** Among the properties that a preview changes, if that restarts an active compute. */
const restart = 'restartsCompute';
/** How the provider's error begins. */
const refusal = 'allowRestart is false';

/**
 * Previews the change of a stack, and applies it unless a compute would restart outside the window.
 * @throws Error if the preview or the update fails, with the errors of its resources
 */
export async function changeStack(stack: Stack, fleet: Fleet, signal: AbortSignal): Promise<StackResult> {
  for (;;)
    try {
      return await previewAndApply(stack, fleet);
    } catch (error) {
      if (!(error instanceof ConcurrentUpdateError)) throw error;
      await clearLock(stack, error, signal);
    }
}

async function previewAndApply(stack: Stack, { target, restartWindow }: Fleet): Promise<StackResult> {
  const folder = await mkdtemp(join(tmpdir(), 'rollout-'));
  try {
    // A preview changes nothing. With the permission, it reports every restart instead of stopping at the first one.
    const previewed = await writeConfig(stack, folder, { ...target, [allowRestart]: true });
    const events = await run((options) => stack.preview(options), previewed);
    const restarts = events.filter(({ resourcePreEvent }) => isRestart(resourcePreEvent)).length;
    const mayRestart = restartWindow !== undefined && isOpen(restartWindow, new Date());
    if (restarts > 0 && !mayRestart) return { outcome: 'held', restarts };
    const applied = await writeConfig(stack, folder, { ...target, [allowRestart]: mayRestart });
    try {
      await run((options) => stack.up(options), applied);
    } catch (error) {
      // A compute became active after the preview: the provider also checks right before it sends the change.
      if (error instanceof CommandFailure && error.isRefusal) return { outcome: 'held', restarts };
      throw error;
    }
    const values = Object.entries(target).map(([key, value]) => [key, { value: String(value) }]);
    await stack.setAllConfig(Object.fromEntries(values));
    return { outcome: 'finished', restarts };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Writes a copy of the stack's config with further values, for one command. So Pulumi.STACK.yaml gets the target only after
 * the update, and the permission to restart never, even if this process is killed.
 */
async function writeConfig(stack: Stack, folder: string, values: object): Promise<string> {
  const name = `Pulumi.${basename(stack.name)}.yaml`;
  const { name: project } = await stack.workspace.projectSettings();
  const text = await readFile(join(stack.workspace.workDir, name), 'utf8');
  // The default schema would turn a date into a time.
  const settings = load(text, { schema: CORE_SCHEMA }) as { config?: object } | undefined;
  const added = Object.entries(values).map(([key, value]) => [
    key.includes(':') ? key : `${project}:${key}`,
    String(value),
  ]);
  const file = join(folder, name);
  await writeFile(file, dump({ ...settings, config: { ...settings?.config, ...Object.fromEntries(added) } }));
  return file;
}

function isRestart(step: ResourcePreEvent | undefined): boolean {
  return step?.metadata.detailedDiff?.[restart] !== undefined;
}

/** Runs a command. Returns its events. @throws Error with its error diagnostics, if it fails */
async function run(
  command: (options: PreviewOptions) => Promise<unknown>,
  configFile: string,
): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  try {
    await command({ configFile, color: 'never', onEvent: (event) => events.push(event) });
    return events;
  } catch (error) {
    const errors = events.flatMap(({ diagnosticEvent }) =>
      diagnosticEvent?.severity === 'error' ? [diagnosticEvent] : [],
    );
    if (errors.length === 0) throw error;
    throw new CommandFailure(errors, error);
  }
}

/** The errors of the resources for which a command failed. */
class CommandFailure extends Error {
  /** Whether it failed only because the provider may not restart computes. */
  readonly isRefusal: boolean;

  constructor(errors: readonly DiagnosticEvent[], cause: unknown) {
    super(errors.map(({ message }) => message.trim()).join('\n'), { cause });
    // The stack's own error says only that the update failed.
    const ofResources = errors.filter(({ urn }) => !urn?.includes('::pulumi:pulumi:Stack::'));
    this.isRefusal = ofResources.length > 0 && ofResources.every(({ message }) => message.includes(refusal));
  }
}
