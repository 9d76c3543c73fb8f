import { readConnectionSettings } from '../config/connection-settings';
import { ControlApi } from '../control-api/control-api';
import { ControlApiError, messageOf } from '../control-api/control-api-error';
import { defaultRetryPacing } from '../control-api/retry';
import { describePause } from '../engine/progress';
import { type ProjectState, readProject } from '../lookups/live-project';
import { type ServicePacing, ServiceProject } from '../operations/service-project';
import { usageError } from './exit-codes';
import type { CommandOptions } from './options';
import type { Screen } from './screen';

export interface CommandContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly screen: Screen;
  readonly pacing?: ServicePacing;
}

/** A user waits at the screen, so an unreachable address fails sooner than in a deployment. */
const retryPacing = { ...defaultRetryPacing, unreachableMs: 5_000 };

/** @throws CommandFailure when the project, the key or the base URL is missing or unusable */
export async function openProject(options: CommandOptions, context: CommandContext): Promise<ServiceProject> {
  const { environment, pacing } = context;
  const idOrName = options.project ?? environment.POSTGRES_COMPUTE_PROJECT?.trim();
  if (!idOrName) throw usageError('No project given: pass --project, or set POSTGRES_COMPUTE_PROJECT.');
  const api = connect(options, context);
  // The service makes ids such as cool-lake-12345678. Anything else may be a name.
  const isId = /^[a-z]+-[a-z]+-\d{8}$/.test(idOrName);
  return new ServiceProject(api, isId ? idOrName : (await findProject(api, idOrName)).id, pacing);
}

/** By its id at first: a key may read a project that it can't list, such as one of another organization. */
export async function findProject(api: ControlApi, idOrName: string, orgId?: string): Promise<ProjectState> {
  try {
    return await readProject(api, { projectId: idOrName });
  } catch (error) {
    // The service refuses a name in place of an id in one of these ways.
    if (!(error instanceof ControlApiError && [400, 403, 404].includes(error.status ?? 0))) throw error;
    return readProject(api, { name: idOrName, orgId });
  }
}

/** @throws CommandFailure when the key or the base URL is missing or unusable */
export function connect(
  options: CommandOptions,
  { environment, pacing, screen }: CommandContext,
): ControlApi {
  const onPause = (pauseMs: number) => screen.progress.showWait(describePause(pauseMs));
  return new ControlApi({ ...readSettings(options, environment), retryPacing, onPause, ...pacing });
}

/** The provider's rules, with `--base-url` instead of the stack's config, which only a Pulumi program can read. */
function readSettings({ baseUrl }: CommandOptions, environment: NodeJS.ProcessEnv) {
  if (!environment.POSTGRES_COMPUTE_API_KEY?.trim())
    throw usageError(
      'No API key given: set POSTGRES_COMPUTE_API_KEY. The command does not read the config of a Pulumi stack.',
    );
  if (!(baseUrl ?? environment.POSTGRES_COMPUTE_BASE_URL)?.trim())
    throw usageError('No base URL given: pass --base-url, or set POSTGRES_COMPUTE_BASE_URL.');
  const readConfig = (name: string) => (name === 'baseUrl' ? baseUrl : undefined);
  const keyOf = (name: string) => (name === 'baseUrl' ? '--base-url' : undefined);
  try {
    return readConnectionSettings(readConfig, environment, {
      namespace: '',
      sourceOf: () => '--base-url',
      keyOf,
    });
  } catch (error) {
    throw usageError(messageOf(error));
  }
}
